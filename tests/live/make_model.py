"""Makes a tiny random Llama with a tokenizer, in the Python of a real vLLM: ``python make_model.py FOLDER [HEADS]``.

Two layers, hidden size 256; 4 heads give a head size of 64 (served on CPU), 16 heads one of 16 (vLLM loads it and dies on the first completion).
"""

import json
import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM

folder = Path(sys.argv[1])
heads = int(sys.argv[2]) if len(sys.argv) > 2 else 4
folder.mkdir(parents=True, exist_ok=True)
tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
trainer = trainers.BpeTrainer(
    vocab_size=400, special_tokens=["<unk>", "<s>", "</s>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
)
tokenizer.train_from_iterator(["an engine that will not fire does not start", "hello world, hello server"] * 50, trainer)
tokenizer.save(str(folder / "tokenizer.json"))
settings = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "model_max_length": 512}
(folder / "tokenizer_config.json").write_text(json.dumps(settings))
torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=512,
    hidden_size=256,
    intermediate_size=512,
    num_hidden_layers=2,
    num_attention_heads=heads,
    num_key_value_heads=heads,
    max_position_embeddings=512,
    bos_token_id=1,
    eos_token_id=2,
)
LlamaForCausalLM(config).to(torch.float32).save_pretrained(folder)
