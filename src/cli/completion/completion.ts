import { quoteForShell as quoted } from '../../base/shell.ts';
import { completedCommands, type CompletedCommand } from './definition.ts';
import { ExitCode, type Terminal } from '../terminal.ts';
import type { Command } from 'commander';

export type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

/** `sextant completion SHELL`: a script for the shell, from the definition of the commands. */
export function runCompletion(shell: Shell, program: Command, { stdout }: Terminal): ExitCode {
  stdout.write(SCRIPTS[shell](completedCommands(program)));
  return ExitCode.ok;
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = {
  bash,
  zsh,
  fish,
  powershell,
};

/** Patterns of `case` for the names of all commands, each behind a space. */
function knownPaths(commands: readonly CompletedCommand[]): string {
  return commands
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(` ${path}`))
    .join('|');
}

/** Lines of `case` for options with a value; `choose` completes from values, `any` completes paths. */
function valueCases(
  commands: readonly CompletedCommand[],
  choose: (values: readonly string[]) => string,
  any: string,
): string[] {
  return commands.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ flags, values }) => {
        const patterns = flags.map((flag) => quoted(`${path === '' ? '' : ` ${path}`} ${flag}`)).join('|');
        return `    ${patterns}) ${values.length > 0 ? choose(values) : any}; return ;;`;
      }),
  );
}

function flagsOf({ options }: CompletedCommand): string[] {
  return options.flatMap(({ flags }) => flags);
}

function bash(commands: readonly CompletedCommand[]): string {
  const wordsOf = ({ commands: inner, values }: CompletedCommand): string =>
    [...inner.map(({ name }) => name), ...values].join(' ');
  const choose = (values: readonly string[]): string =>
    `COMPREPLY=($(compgen -W ${quoted(values.join(' '))} -- "$cur"))`;
  return `# Completions of sextant for bash. To load them: source <(sextant completion bash)
_sextant() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" last="\${COMP_WORDS[COMP_CWORD - 1]}" at="" i flags="" names=""
  COMPREPLY=()
  # --option=value is three words.
  [[ "$cur" == "=" ]] && cur=""
  [[ "$last" == "=" ]] && last="\${COMP_WORDS[COMP_CWORD - 2]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
    ${knownPaths(commands)}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $last" in
${valueCases(commands, choose, ':').join('\n')}
  esac
  case "$at" in
${commands
  .map((one) => {
    const at = quoted(one.path === '' ? '' : ` ${one.path}`);
    return `    ${at}) flags=${quoted(flagsOf(one).join(' '))} names=${quoted(wordsOf(one))} ;;`;
  })
  .join('\n')}
  esac
  if [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$names" -- "$cur"))
  fi
}
complete -o default -F _sextant sextant
`;
}

function zsh(commands: readonly CompletedCommand[]): string {
  const described = (name: string, description: string): string =>
    quoted(`${name.replaceAll(':', '\\:')}:${description.replaceAll(':', '\\:')}`);
  const choose = (values: readonly string[]): string => `compadd -- ${values.map(quoted).join(' ')}`;
  return `#compdef sextant
# Completions of sextant for zsh. To load them: source <(sextant completion zsh), or save them as _sextant in a folder of $fpath.
_sextant() {
  local at="" i last="\${words[CURRENT - 1]}"
  local -a flags names
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
    ${knownPaths(commands)}) at="$at \${words[i]}" ;;
    esac
  done
  if [[ "$PREFIX" == --*=* ]]; then
    last="\${PREFIX%%=*}"
    compset -P 1 '*='
  fi
  case "$at $last" in
${valueCases(commands, choose, '_files').join('\n')}
  esac
  case "$at" in
${commands
  .map(({ path, commands: inner, options, values }) => {
    const flags = options.flatMap((one) => one.flags.map((flag) => described(flag, one.description)));
    const names = [
      ...inner.map(({ name, description }) => described(name, description)),
      ...values.map((value) => quoted(value)),
    ];
    return `    ${quoted(path === '' ? '' : ` ${path}`)})
      flags=(${flags.join(' ')})
      names=(${names.join(' ')}) ;;`;
  })
  .join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe option flags
  else
    (($#names)) && _describe command names
    _files
  fi
}
if [[ "\${funcstack[1]}" == _sextant ]]; then
  _sextant "$@"
else
  compdef _sextant sextant
fi
`;
}

function fish(commands: readonly CompletedCommand[]): string {
  const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => text(path));
  const lines = commands.flatMap(({ path, commands: inner, options, values }) => {
    const line = (...parts: string[]): string =>
      ['complete -c sextant -n', text(`__sextant_at ${text(path)}`), ...parts].join(' ');
    return [
      ...inner.map(({ name, description }) => line('-f -a', text(name), '-d', text(description))),
      ...values.map((value) => line('-f -a', text(value))),
      ...options.map(({ flags, description, takesValue, values: choices }) => {
        const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
        const value = choices.length > 0 ? [`-x -a ${text(choices.join(' '))}`] : takesValue ? ['-r'] : [];
        return line(...names, ...value, '-d', text(description));
      }),
    ];
  });
  return `# Completions of sextant for fish. To load them: sextant completion fish | source
function __sextant_at
    set -l at
    for word in (commandline -opc)[2..-1]
        if contains -- "$(string join ' ' -- $at $word)" ${paths.join(' ')}
            set -a at $word
        end
    end
    test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function powershell(commands: readonly CompletedCommand[]): string {
  const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
  const item = (name: string, description: string): string => `@(${text(name)}, ${text(description || name)})`;
  const list = (items: readonly string[]): string => `@(${items.map((one) => `,${one}`).join('; ')})`;
  const rows = commands.map(({ path, commands: inner, options, values }) => {
    const names = [
      ...inner.map(({ name, description }) => item(name, description)),
      ...values.map((value) => item(value, value)),
    ];
    const flags = options.flatMap((one) => one.flags.map((flag) => item(flag, one.description)));
    const chosen = options
      .filter((one) => one.values.length > 0)
      .flatMap((one) => one.flags.map((flag) => `${text(flag)} = @(${one.values.map(text).join(', ')})`));
    return `  ${text(path)} = @{ Names = ${list(names)}; Flags = ${list(flags)}; Values = @{ ${chosen.join('; ')} } }`;
  });
  return `# Completions of sextant for PowerShell. To load them: sextant completion powershell | Out-String | Invoke-Expression
$SextantCommands = @{
${rows.join('\n')}
}
Register-ArgumentCompleter -Native -CommandName sextant -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  $at = ''
  foreach ($word in $typed | Select-Object -Skip 1) {
    $next = "$at $word".Trim()
    if ($SextantCommands.ContainsKey($next)) { $at = $next }
  }
  $command = $SextantCommands[$at]
  $values = $command.Values[$typed[-1]]
  $items = if ($values) { $values | ForEach-Object { , @($_, $_) } } elseif ($wordToComplete.StartsWith('-')) { $command.Flags } else { $command.Names }
  $items | Where-Object { $_[0].StartsWith($wordToComplete) } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])
  }
}
`;
}
