"""TRL: GRPO for two steps on a tiny model of random weights, which plays three moves a game.

The model's tokens are scripted, for random weights call no tool; everything else is TRL's own.
"""

import json
import os
import tempfile
from pathlib import Path

os.environ |= {"HF_HUB_OFFLINE": "1", "TRL_EXPERIMENTAL_SILENCE": "1"}

import torch
import trl
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from trl import GRPOConfig, GRPOTrainer

from cacao_env.check.examples.stand_in import reply
from cacao_env.text.trl import CacaoTools


def byte_tokenizer():
    """A tokenizer of single bytes, with a chat template that TRL has."""
    bytes_ = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = Tokenizer(models.BPE({one: i for i, one in enumerate(bytes_)}, []))
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=tokens,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=["<|im_start|>"],
        padding_side="left",
    )
    template = Path(trl.__file__).parent / "chat_templates" / "qwen2_5.jinja"
    tokenizer.chat_template = template.read_text()
    return tokenizer


class Scripted(Qwen2ForCausalLM):
    """A model that calls ``play`` with a move that the last position lists."""

    def generate(self, input_ids, **settings):
        """The prompts with a call of the tool after each."""
        said = []
        for prompt in tokenizer.batch_decode(input_ids, skip_special_tokens=True):
            move = json.loads(reply(prompt[prompt.rindex("You are ") :]))
            call = json.dumps({"name": "play", "arguments": move})
            said.append(f"<tool_call>\n{call}\n</tool_call><|im_end|>")
        found = tokenizer(said, return_tensors="pt", padding=True, padding_side="right")
        return torch.cat([input_ids, found["input_ids"]], dim=1)


tokenizer = byte_tokenizer()
torch.manual_seed(0)
model = Scripted(
    Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=16384,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
)
games = [{"prompt": [{"role": "user", "content": "Play."}], "seed": seed} for seed in range(4)]
with tempfile.TemporaryDirectory() as folder:
    trainer = GRPOTrainer(
        model,
        args=GRPOConfig(
            folder,
            max_steps=2,
            per_device_train_batch_size=2,
            num_generations=2,
            max_completion_length=8000,
            max_tool_calling_iterations=3,
            use_cpu=True,
            report_to=[],
            save_strategy="no",
            logging_steps=1,
            disable_tqdm=True,
        ),
        train_dataset=Dataset.from_list(games),
        processing_class=tokenizer,
        environment_factory=CacaoTools,
    )
    trainer.train()
    log = trainer.state.log_history[0]
assert log["tools/call_frequency"] == 3
assert log["tools/failure_frequency"] == 0
print("tool calls a game:", log["tools/call_frequency"], "reward:", log["rewards/CacaoTools/mean"])
