import { hostname } from 'node:os';
import { pathToFileURL } from 'node:url';
import { styleText } from 'node:util';
import { Option } from 'commander';

export const COLOR_CHOICES = ['auto', 'always', 'never'] as const;
export type ColorChoice = (typeof COLOR_CHOICES)[number];

/** The option of commands that print places. */
export function colorOption(): Option {
  return new Option('--color <when>', 'when to colour and to link paths').choices(COLOR_CHOICES).default('auto');
}

/** Colours text and links paths, as the terminal can and the user wants. */
export class Painter {
  readonly #choice: ColorChoice;
  readonly #stream: NodeJS.WriteStream;
  readonly #isLinking: boolean;

  constructor(choice: ColorChoice, stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env) {
    this.#choice = choice;
    this.#stream = stream;
    this.#isLinking = choice !== 'never' && stream.isTTY && hasHyperlinks(env);
  }

  style(format: 'cyan' | 'bold' | 'dim' | 'yellow', text: string): string {
    if (this.#choice === 'never') return text;
    if (this.#choice === 'always') return styleText(format, text, { validateStream: false });
    return styleText(format, text, { stream: this.#stream });
  }

  /** A path as a link to a line of its file (OSC 8). `file` is absolute. */
  path(shown: string, file: string, line: number): string {
    const text = this.style('cyan', shown);
    if (!this.#isLinking) return text;
    const url = pathToFileURL(file);
    if (process.platform !== 'win32') url.host = hostname();
    return `\u001b]8;;${url.href}#L${line}\u001b\\${text}\u001b]8;;\u001b\\`;
  }
}

/** Whether a terminal shows links, by the variables that it sets; multiplexers need not pass links on. */
export function hasHyperlinks(env: NodeJS.ProcessEnv): boolean {
  const { FORCE_HYPERLINK, TERM = '', TERM_PROGRAM = '', VTE_VERSION = '0' } = env;
  if (FORCE_HYPERLINK !== undefined) return FORCE_HYPERLINK !== '0';
  if (env.NO_COLOR !== undefined || env.TMUX !== undefined || /^(?:dumb|screen|tmux)/.test(TERM)) return false;
  if (['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio', 'Tabby'].includes(TERM_PROGRAM)) return true;
  const others = [env.WT_SESSION, env.KITTY_WINDOW_ID, env.KONSOLE_VERSION, env.DOMTERM, env.ALACRITTY_WINDOW_ID];
  return (
    Number(VTE_VERSION) >= 5000 || others.some((value) => value !== undefined) || /kitty|alacritty|foot/.test(TERM)
  );
}
