#!/usr/bin/env bash
# Trains a frozen network on two processes in two network namespaces, between which packets take 5 ms and one in a
# hundred is lost, and compares the model with that of one process. Needs root, mpirun and /dev/net/tun.
# Usage: check.sh EDGEWISE   (the binary, with edgewise_mpi.so beside it)
set -eu
binary=$(realpath "$1") here=$(realpath "$(dirname "$0")")
folder=$(mktemp -d)
cd "$folder"
near=edgewise-near-$$ far=edgewise-far-$$ link=
finish() {
  [ -z "$link" ] || kill "$link"
  ip netns delete "$near" || true
  ip netns delete "$far" || true
  rm -rf "$folder"
}
trap finish EXIT
ip netns add "$near"
ip netns add "$far"
python3 "$here/lossy_link.py" "$near" 10.77.0.1/24 "$far" 10.77.0.2/24 5 1 >link.log &
link=$!
until grep -q ready link.log; do kill -0 "$link" && sleep 0.1; done

# In place of ssh: a command on the host of this address.
cat >on_host.sh <<END
#!/bin/sh
case \$1 in 10.77.0.1) namespace=$near ;; *) namespace=$far ;; esac
shift
exec ip netns exec \$namespace sh -c "\$*"
END
chmod +x on_host.sh
on_both() {
  ip netns exec "$near" timeout 100 mpirun --allow-run-as-root --host 10.77.0.1:1,10.77.0.2:1 -np 2 -q \
    --mca plm_rsh_agent "$folder/on_host.sh" --mca plm_rsh_no_tree_spawn 1 --mca oob_tcp_if_include 10.77.0.0/24 \
    --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 "$@"
}

"$binary" data generate purchases --nodes 2000 --out data --quiet
"$binary" data freeze --edges data/friends.csv --nodes data/people.csv --label buys --parts 4 --out net.edgewise --quiet
train="train net.edgewise --model gatv2 --hidden 8 --heads 2 --threads 1 --epochs 20 --quiet"
"$binary" $train --out one.safetensors >/dev/null
on_both "$binary" $train --out two.safetensors >/dev/null
cmp one.safetensors two.safetensors
echo "two processes over a slow link that loses packets: the same model"
