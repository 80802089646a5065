"""Teach SmolLM2 to play: TRL's supervised trainer on games that ``cacao data export --as chat`` wrote.

    python -m cacao_env.check.examples.finetune games.jsonl FOLDER [MINUTES...]

An example is one decision: the position, without the rules, and the move.  The first ones have the
legal moves alone, so the model learns to copy one before it reads positions.  After each number of
minutes the model is saved in FOLDER/MINUTES.  The same command goes on from the last one there.
"""

import json
import random
import sys
import time
from pathlib import Path

from datasets import Dataset
from torch.nn.functional import cross_entropy
from transformers import TrainerCallback
from trl import SFTConfig, SFTTrainer

from cacao_env.check.examples.smollm import load

LAYERS = 10  # of 30, the last ones, are trained: twice as many examples an hour on a processor
SHORT = 1200  # examples without a position
RATE = 5e-4  # of learning; it falls to nothing until the last minute


def examples(path, seed=0):
    """The decisions of all conversations of a file, each of a winner's, in a random order."""
    found = []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        game = json.loads(line)
        said = game["messages"][1:]  # the first has the rules
        if game["win_share"] == 1:
            found += [{"prompt": [p], "completion": [c]} for p, c in zip(said[::2], said[1::2])]
    random.Random(seed).shuffle(found)
    return found


def shortened(example):
    """An example with the last line of its prompt: the legal moves."""
    [message] = example["prompt"]
    content = message["content"].rpartition("\n")[2]
    return {**example, "prompt": [{**message, "content": content}]}


class Clock(TrainerCallback):
    """Saves the model after each number of minutes, and ends the training with the last."""

    def __init__(self, folder, minutes, spent):
        self.folder, self.minutes, self.last = folder, minutes, minutes[-1]
        self.begin = time.monotonic() - 60 * spent

    def on_step_begin(self, args, state, control, optimizer, **parts):
        """Set the rate of learning by the time that is left."""
        left = 1 - (time.monotonic() - self.begin) / (60 * self.last)
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (1 + state.global_step) / 10) * max(0, left)

    def on_step_end(self, args, state, control, **parts):
        """Save what is due."""
        if self.minutes and time.monotonic() - self.begin >= 60 * self.minutes[0]:
            place = self.folder / str(self.minutes.pop(0))
            parts["model"].save_pretrained(place)
            parts["processing_class"].save_pretrained(place)
            print(f"{place}: {state.global_step * args.train_batch_size:,} examples", flush=True)
        control.should_training_stop |= not self.minutes


class Teacher(SFTTrainer):
    """TRL's trainer, which scores every token on a processor; here those of the moves alone."""

    def compute_loss(self, model, inputs, return_outputs=False, **more):
        """The mean loss of the tokens that are learned."""
        hidden = model.model(inputs["input_ids"], inputs["attention_mask"]).last_hidden_state
        labels = inputs["labels"][:, 1:]
        learned = labels != -100
        logits = model.lm_head(hidden[:, :-1][learned])
        return cross_entropy(logits, labels[learned])


def finetune(games, folder, minutes, max_steps=-1, batch=4):
    """Train for some minutes, or steps; returns the losses, none if all was done before."""
    done = sorted(m for m in minutes if (folder / str(m)).is_dir())
    minutes = sorted(set(minutes) - set(done))
    if not minutes:
        return []
    model, tokenizer = load(folder / str(done[-1]) if done else None)
    model.requires_grad_(False)
    model.model.layers[-LAYERS:].requires_grad_(True)
    found = examples(games, seed=len(done))
    if not done:
        found[:SHORT] = map(shortened, found[:SHORT])
    clock = Clock(folder, minutes, done[-1] if done else 0)
    trainer = Teacher(
        model,
        args=SFTConfig(
            folder,
            max_steps=max_steps,
            num_train_epochs=1000,
            per_device_train_batch_size=batch,
            lr_scheduler_type="constant",
            max_length=1024,
            train_sampling_strategy="sequential",
            bf16=False,  # which most processors compute very slowly
            gradient_checkpointing=False,
            use_cpu=model.device.type == "cpu",
            report_to=[],
            save_strategy="no",
            logging_steps=5,
        ),
        train_dataset=Dataset.from_list(found),
        processing_class=tokenizer,
        callbacks=[clock],
    )
    trainer.train()
    return [row["loss"] for row in trainer.state.log_history if "loss" in row]


if __name__ == "__main__":
    games, folder, *minutes = sys.argv[1:]
    finetune(games, Path(folder), [int(m) for m in minutes or ("15", "60", "150")])
