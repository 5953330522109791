#!/usr/bin/env bash
# Ask a model the questions of tours that it was not tuned on, and of public benchmarks.
#
#     bash evaluate.sh DATASET RESULTS [MODEL [KIND]]
#
# DATASET is an export with a split `val` in the format messages; MODEL the tuned or the untuned model, KIND what
# lmms-eval calls models like it. Run it once for each model, with RESULTS folders of their own. TASKS names other
# tasks of lmms-eval, or none if empty; MODEL_ARGS are further arguments of ms-swift about the model.
set -euo pipefail

here=$(dirname "$(realpath "$0")")
dataset=$(realpath "$1")
mkdir -p "$2"
results=$(realpath "$2")
model=${3:-Qwen/Qwen3-VL-2B-Instruct}
kind=${4:-qwen3_vl}
tasks=${TASKS-vsibench,vsibench_debiased,mmsi_bench,mindcube_tiny,viewspatial}

export ROOT_IMAGE_DIR=$dataset USE_HF=1 MAX_PIXELS=${MAX_PIXELS:-602112}
rm -f "$results/swift.jsonl"
# shellcheck disable=SC2086
swift infer --model "$model" ${MODEL_ARGS:-} --val_dataset "$dataset/val.jsonl" \
    --temperature 0 --max_new_tokens "${MAX_NEW_TOKENS:-64}" --result_path "$results/swift.jsonl"
python "$here/name_answers.py" "$dataset/val.jsonl" "$results/swift.jsonl" "$results/val.jsonl"
roomtour score "$results/val.jsonl" --data "$dataset" --json "$results/val_scores.json"

if [ -n "$tasks" ]; then
    python -m lmms_eval --model "$kind" --model_args "pretrained=$model" --tasks "$tasks" --batch_size 1 \
        --log_samples --output_path "$results/benchmarks"
fi
