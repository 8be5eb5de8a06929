/* Kept apart from ask.ts, which is loaded when the command runs. */

export const PROVIDERS = ['extractive', 'openai'] as const;

export const ASK_HELP = `
Answer models:
  extractive   the most relevant passages, with their definitions and lines; no model, nothing is sent (the default)
  openai       a service with OpenAI's chat completions, which receives the question and passages of files. Set its
               address with --base-url or SEXTANT_OPENAI_BASE_URL, its model with --model or SEXTANT_OPENAI_MODEL, and
               its key, if it needs one, with SEXTANT_OPENAI_KEY

--rerank lets that service order the 20 best passages first, of each at most 25 lines, with either answer model. If it
fails or takes over 20 s, the order is that of the search.

With --team, the answer rests on all pushed repositories that the token of SEXTANT_API_TOKEN or sextant login may read; repo:acme/*
in the question restricts them, too. The question then goes to the service.

Examples:
  sextant ask "how are failed payments retried?"
  sextant ask "who may cancel an order? path:src/orders" ~/projects/shop --json
  sextant ask "why two queues?" --provider openai --base-url http://localhost:11434/v1 --model qwen3
  sextant ask "where are payments retried?" --team --repo 'payments-*'

Output: the answer in Markdown as it arrives, then the places of its citations [1]. Standard error shows which model
answered and how much was sent.

Exit codes: 0 answered, 1 nothing relevant was found, 2 failed or wrong usage, 130 interrupted.`;
