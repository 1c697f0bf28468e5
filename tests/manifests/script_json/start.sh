#!/bin/bash
set -e
# the server
exec vllm serve Qwen/Qwen3-8B \
  --speculative-config {"method": "ngram", "num_speculative_tokens": 2} \
  --port 8000
