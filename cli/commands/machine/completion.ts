import { defineCommand } from "../../command.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export const completion = defineCommand({
  positionals: { shell: { required: true, choices: shells, description: shells.join(", ") } },
  flags: {},
  examples: [
    "source <(svc completion bash)   # in ~/.bashrc",
    "source <(svc completion zsh)    # in ~/.zshrc, after compinit",
    "svc completion fish | source    # in ~/.config/fish/config.fish",
  ],
  async run(_context, args) {
    const shell = args.shell as Shell;
    const script = scripts[shell];
    return { data: { shell, script }, text: script };
  },
});

/**
 * The scripts call `svc __complete <shell> -- <words up to the cursor>`, which prints `directive`, then a candidate per
 * line, with a tab before its description. They therefore need no change when commands change.
 */
const scripts: Record<Shell, string> = {
  bash: `# svc completion for bash
_svc() {
  local line offer=
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$offer" ]; then offer=$line; else COMPREPLY+=("$line"); fi
  done < <(svc __complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case $offer in
    files) compopt -o default -o filenames 2>/dev/null ;;
    folders) compopt -o dirnames -o filenames 2>/dev/null ;;
  esac
}
complete -F _svc svc
`,
  zsh: `#compdef svc
# svc completion for zsh
_svc() {
  local -a lines candidates
  local line
  lines=("\${(@f)$(svc __complete zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case \${lines[1]} in
    files) _files; return ;;
    folders) _files -/; return ;;
  esac
  for line in "\${(@)lines[2,-1]}"; do
    candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -V svc candidates
}
if [ "$funcstack[1]" = _svc ]; then _svc "$@"; else compdef _svc svc; fi
`,
  fish: `# svc completion for fish
function __svc_complete
    set -l lines (svc __complete fish -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path (commandline -ct)
        case folders
            __fish_complete_directories (commandline -ct)
        case '*'
            printf '%s\\n' $lines[2..-1]
    end
end
complete -c svc -f -a '(__svc_complete)'
`,
};
