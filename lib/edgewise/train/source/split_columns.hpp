#pragma once

#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

namespace edgewise::train {

/// Makes a column "split" of the items' table of what says the user's split there, with a note:
/// - columns of truth values such as train_mask, val_mask and test_mask. One of them alone leaves the other items to
///   the test, or to the training;
/// - the only column with train, valid, test and other words of data::parse_role, whatever it is called.
/// Columns that are learnt, ignored, categorical or named by LoadOptions::split_columns stay as they are, and so does
/// all if there is a column "split". Notes columns that may be a split and are not read as one. Throws DataError with
/// the line of an item that is in two parts.
void take_split_columns(const LoadOptions& options, Dataset& data);

}  // namespace edgewise::train
