#!/usr/bin/env bash
# Train StreamVLN on folders of steps and evaluate it on R2R's unseen homes, on one GPU.
#
#     bash streamvln.sh STREAMVLN RESULTS FOLDER...
#
# STREAMVLN is a checkout of InternRobotics/StreamVLN at e48f6ff with its environment, Matterport3D's scenes and the
# episodes of R2R, laid out as its README says; a FOLDER holds images/ and annotations.json. Run it twice, with its own
# trajectories alone and with ours beside them:
#
#     bash streamvln.sh STREAMVLN without data/trajectory_data/R2R
#     bash streamvln.sh STREAMVLN with    data/trajectory_data/R2R DATASET/train
set -euo pipefail

here=$(dirname "$(realpath "$0")")
mkdir -p "$2"
results=$(realpath "$2")
checkpoint=$results/StreamVLN_qwen   # its code takes a model for a Qwen by this word in its name
folders=
for folder in "${@:3}"; do
    folders+=${folders:+,}$(cd "$1" && realpath "$folder")
done
cd "$1"

# Options as in scripts/streamvln_train_slurm.sh, which takes 32 rows a step from 32 GPUs; torch.compile is left out.
torchrun --nproc_per_node=1 streamvln/streamvln_train.py \
    --deepspeed "$here/zero2_offload.json" \
    --model_name_or_path "${MODEL:-lmms-lab/LLaVA-Video-7B-Qwen2}" \
    --version qwen_1_5 \
    --video_folder "$folders" \
    --group_by_task False \
    --num_history 8 --num_future_steps 4 --num_frames 32 --data_augmentation True \
    --mm_tunable_parts mm_vision_tower,mm_mlp_adapter,mm_language_model \
    --vision_tower google/siglip2-so400m-patch14-384 \
    --mm_projector_type mlp2x_gelu --mm_vision_select_layer -2 \
    --mm_use_im_start_end False --mm_use_im_patch_token False \
    --image_aspect_ratio anyres_max_9 --image_grid_pinpoints "(1x1),...,(6x6)" \
    --bf16 True --tf32 True --gradient_checkpointing True --model_max_length 32768 \
    --num_train_epochs 1 --per_device_train_batch_size 1 --gradient_accumulation_steps 32 \
    --learning_rate 2e-5 --mm_vision_tower_lr 5e-6 --weight_decay 0. \
    --warmup_ratio 0.03 --lr_scheduler_type constant_with_warmup \
    --evaluation_strategy no --save_strategy epoch --save_total_limit 1 --logging_steps 10 \
    --dataloader_num_workers 8 --lazy_preprocess True --dataloader_drop_last True \
    --report_to none --run_name roomtour --output_dir "$checkpoint"

MAGNUM_LOG=quiet HABITAT_SIM_LOG=quiet torchrun --nproc_per_node=1 streamvln/streamvln_eval.py \
    --model_path "$checkpoint" --eval_split val_unseen --output_path "$results/val_unseen"
