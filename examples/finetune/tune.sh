#!/usr/bin/env bash
# Tune a vision-language model on a dataset of roomtour with LoRA, and merge what it learned into it.
#
#     bash tune.sh DATASET RESULTS [MODEL]
#
# DATASET is an export in the format messages or swift; MODEL a name on Hugging Face or a folder. The tuned model is
# RESULTS/tuned. Further arguments of `swift sft` go into SWIFT_ARGS, those of the model alone into MODEL_ARGS.
set -euo pipefail

dataset=$(realpath "$1")
mkdir -p "$2"
results=$(realpath "$2")
model=${3:-Qwen/Qwen3-VL-2B-Instruct}

rows=$dataset/train.jsonl
export ROOT_IMAGE_DIR=$dataset   # the rows' pictures are relative to it
if [ -f "$dataset/swift_train.jsonl" ]; then
    rows=$dataset/swift_train.jsonl
    ROOT_IMAGE_DIR=$dataset/images
fi
export USE_HF=1 MAX_PIXELS=${MAX_PIXELS:-602112}   # 602,112 pixels are 588 tokens of Qwen3-VL

# One epoch at 1e-4 and 16 rows a step are ms-swift's own example for LoRA on such models; the vision tower stays.
# shellcheck disable=SC2086
swift sft \
    --model "$model" \
    --dataset "$rows" \
    --split_dataset_ratio 0 \
    --tuner_type lora --lora_rank 16 --lora_alpha 32 --target_modules all-linear --freeze_vit true \
    --num_train_epochs 1 --learning_rate 1e-4 --warmup_ratio 0.05 \
    --per_device_train_batch_size 1 --gradient_accumulation_steps 16 --gradient_checkpointing true \
    --max_length 8192 --truncation_strategy delete \
    --save_strategy epoch --save_total_limit 1 --logging_steps 10 --report_to none \
    --add_version false --output_dir "$results/lora" \
    ${MODEL_ARGS:-} ${SWIFT_ARGS:-}

checkpoint=$(ls -d "$results"/lora/checkpoint-* | sort -V | tail -n 1)
rm -rf "$results/tuned"
swift export --adapters "$checkpoint" --merge_lora true --output_dir "$results/tuned"
