"""Reference values for byte pairs, from subword-nmt (Sennrich et al. 2016).

Run in the folder of this file, with subword-nmt installed (made with 0.3.8):
    python make_byte_pairs.py

byte_pairs.json holds texts; the file of merges that is learnt of them ("codes"); how many of these merges come before
the first of two that are equally frequent ("certain"), which nothing says the order of; and words with their pieces.
The words begin with one another, and each is there another number of times: few pairs are equally frequent.
"""
import collections
import io
import json
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

COUNTS = {"lo": 211, "low": 83, "lowe": 41, "lower": 67, "lowers": 3, "th": 139, "the": 307, "then": 31, "thence": 2,
          "grö": 97, "größ": 53, "größe": 71, "größer": 17, "größere": 3, "日本": 151, "日本語": 59, "日本語学": 13,
          "日本語学者": 2, "aaaa": 29, "babab": 11, "ca": 181, "caf": 37, "café": 109, "cafés": 7}
TEXTS = [" ".join([word] * count) for word, count in COUNTS.items()]
WORDS = [*COUNTS, "flow", "lowest", "other", "bathe", "groß", "été", "本日", "aaa", "aaaaaaaa", "abab", "bananas",
         "t", "é", "ß", "日", "日本日本語", "xyz", "w</w>", "lo@@", "ﬂow", "e\u0301t\u00e9"]
MERGES = 60


def certain(codes):
    """How many merges are the only most frequent pair, counted again by hand after each."""
    words = collections.Counter(tuple(word[:-1]) + (word[-1] + "</w>",) for text in TEXTS for word in text.split())
    for number, code in enumerate(codes):
        pairs = collections.Counter()
        for pieces, count in words.items():
            for pair in zip(pieces, pieces[1:]):
                pairs[pair] += count
        most = pairs.most_common(2)
        if most[0][1] == most[1][1]:
            return number
        assert most[0][0] == code
        merged = collections.Counter()
        for pieces, count in words.items():
            new, i = [], 0
            while i < len(pieces):
                step = 2 if pieces[i:i + 2] == code else 1
                new.append("".join(pieces[i:i + step]))
                i += step
            merged[tuple(new)] += count
        words = merged
    return len(codes)


def main():
    out = io.StringIO()
    learn_bpe([text + "\n" for text in TEXTS], out, MERGES)
    codes = out.getvalue()
    bpe = BPE(io.StringIO(codes))
    # The end of a word has no mark in what segment_tokens gives, all pieces before it have "@@".
    pieces = {word: [piece.removesuffix("@@") if i + 1 < len(found) else piece for i, piece in enumerate(found)]
              for word in WORDS for found in [bpe.segment_tokens([word])]}
    values = {"texts": TEXTS, "codes": codes, "words": pieces,
              "certain": certain([tuple(line.split()) for line in codes.splitlines()[1:]])}
    with open("byte_pairs.json", "w") as file:
        json.dump(values, file, indent=1, ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    main()
