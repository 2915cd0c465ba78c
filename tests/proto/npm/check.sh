#!/bin/sh
# check.sh SOURCE_DIR WORK_DIR CHECK LACKS: installs the locked package, encodes fresh random messages with it and
# lets CHECK compare them. Exit 77 (skipped) when the package cannot be had: the recorded messages are compared anyway.
set -eu
source=$1 work=$2 check=$3 lacks=$4
command -v npm >/dev/null && command -v node >/dev/null || { echo "not compared: node or npm is missing"; exit 77; }
mkdir -p "$work"
cp "$source/package.json" "$source/package-lock.json" "$source/encode.mjs" "$work/"
cd "$work"
npm ci --prefer-offline --no-audit --no-fund --ignore-scripts >npm.log 2>&1 ||
  { echo "not compared: npm ci failed (see $work/npm.log)"; exit 77; }
seed=${LEAKHUNT_SEED:-$(date +%s)}
echo "seed $seed (LEAKHUNT_SEED repeats it)"
node encode.mjs "$seed" 20 >vectors.jsonl
"$check" vectors.jsonl "$lacks"
