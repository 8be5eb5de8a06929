/* Apart from the command itself, which is loaded when it is asked for. */

export const PROVIDERS = ['extractive', 'openai'] as const;

export const ASK_HELP = `
Who answers:
  extractive   the passages that answer best, with their definitions and lines; no model, nothing is sent (the default)
  openai       a service with OpenAI's chat completions, which is sent the question and passages of files:
               --base-url or SEXTANT_OPENAI_BASE_URL, --model or SEXTANT_OPENAI_MODEL, and the key, if it wants one,
               in SEXTANT_OPENAI_KEY

Examples:
  sextant ask "how are failed payments retried?"
  sextant ask "who may cancel an order? path:src/orders" ~/projects/shop --json
  sextant ask "why two queues?" --provider openai --base-url http://localhost:11434/v1 --model qwen3

Output: the answer in Markdown as it comes, then what its citations [1] stand for. Who answered, and what was sent, is
said on standard error.

Exit codes: 0 answered, 1 nothing that answers was found, 2 failed or wrong usage, 130 interrupted.`;
