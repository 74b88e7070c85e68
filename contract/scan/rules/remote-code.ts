/** Code that comes from elsewhere, or that is unreadable until it runs. */
import { hostKindIn } from "../hosts.ts";
import { anyOf, near, one, sequence, signal } from "../matchers.ts";
import type { TextRule } from "../scan-rule.ts";

/** A command that prints or stores what an address returns, with what follows it in the line. */
export const download = signal(
  [
    "curl",
    "wget",
    "iwr",
    "irm",
    "invoke-web",
    "invoke-rest",
    "download",
    "urlopen",
    "urlretrieve",
    "requests.get",
    "httpx.get",
    "axios.get",
    "fetch(",
  ],
  /\b(?:curl|wget|aria2c)(?:\.exe)?(?=\s)/gi,
  /\b(?:iwr|irm|Invoke-WebRequest|Invoke-RestMethod)\b|\.Download(?:String|File|Data)\(/gi,
  /\burl(?:open|retrieve)\(|\b(?:requests|httpx|axios)\.get\(|\bfetch\(/gi,
);
/** A pipe into a shell, or into an interpreter that takes the input as its program. */
const intoShell = signal(
  ["sh", "python", "perl", "ruby", "node", "php", "iex", "invoke-expression"],
  /\|&?\s{0,8}\\?\n?\s{0,8}(?:sudo\s{1,4}(?:-{1,2}[\w=]{1,12}\s{1,4}){0,3}|(?:command|exec|nohup|time)\s{1,4}|env\s{1,4}(?:\w{1,40}=\S{0,80}\s{1,4}){0,3}|\w{1,40}=\S{0,80}\s{1,4}){0,2}(?:\/(?:usr\/)?(?:local\/)?bin\/(?:env\s{1,4})?)?(?:(?:ba|z|da|k|a|fi|c|tc)?sh\b(?![\w.=-]|\s{0,4}\|)|pwsh\b|powershell(?:\.exe)?\b|iex\b|Invoke-Expression\b|(?:python[\d.]{0,4}|node|perl|ruby|php|bun|deno\s{1,4}run)\s{0,4}(?:-(?=\s|$|["'`;&|)])\s{0,4})?(?=$|["'`;&|)\n]))/gi,
);
/** A shell or interpreter whose program is the output of a command. */
const shellOf = signal(
  ["sh", "eval", "source", "iex", "invoke-expression", "python", "node", "perl", "ruby", ". <("],
  /(?:\b(?:ba|z|da|k)?sh|\bsource|(?:^|[\s;&|`])\.|\bpython[\d.]{0,4}|\bnode|\bperl|\bruby)\s{1,4}(?:-\w{1,4}\s{1,4}){0,2}(?:["']?\$\(|["']?`|<\(|\/dev\/stdin\s{0,4}<<<\s{0,4}"?\$\()/gi,
  /\beval\s{1,4}["']?(?:\$\(|`)|\b(?:iex|Invoke-Expression)\b\s{0,4}["'&(]/gi,
);
const curlOnly = signal(
  ["curl", "wget", "iwr", "irm", "invoke-web", "invoke-rest", "downloadstring"],
  /\b(?:curl|wget)(?:\.exe)?\s[^\n]{0,300}/gi,
  /\b(?:iwr|irm|Invoke-WebRequest|Invoke-RestMethod)\b[^\n]{0,300}/gi,
  /\.DownloadString\([^\n]{0,300}/gi,
);
/** Interpreters that run a string that the same expression fetches. */
const execOfFetched = signal(
  ["exec(", "eval(", "function(", "compile("],
  /(?<![.\w])(?:exec|eval|compile|new\s{1,4}Function|Function|vm\.runIn\w{1,20})\(\s{0,8}(?:compile\(\s{0,4}|await\s{1,4}|\w{1,20}\.|\(){0,4}(?:requests|httpx|urllib\.request|urllib2?|axios|fetch|urlopen|http)\b[^\n]{0,300}/gi,
);
const decoder = signal(
  ["base64", "xxd", "openssl", "unhex", "rev", "frombase64", "b32decode", "uudecode", "gunzip", "tr "],
  /\bbase(?:64|32)\s{1,4}(?:-{1,2}(?:d|D|decode|di)\b|-\w{0,3}d\b)/gi,
  /\bxxd\s{1,4}(?:-r\s{1,4}-p|-p\s{1,4}-r|-rp|-r)\b/gi,
  /\bopenssl\s{1,4}(?:enc|base64|aes-\S{1,20})\s[^\n|]{0,120}-d\b|\bFromBase64String\(/gi,
  /\bb(?:64|32|85)decode\(|\buudecode\b|\|\s{0,4}rev\b/gi,
  /\|\s{0,4}tr\s{1,4}["']?(?:A-Za-z|a-zA-Z|a-z|A-Z)["']?\s{1,4}["']?[b-yB-Y]-[zZ]/gi,
);
const execOfDecoded = signal(
  ["exec(", "eval(", "function(", "loads(", "runin", "-enc", "-e ", "iex", "invoke-expression", "system("],
  /(?<![.\w])(?:exec|eval|compile|new\s{1,4}Function|Function|os\.system|subprocess\.\w{1,14}|execSync|marshal\.loads|pickle\.loads)\(\s{0,8}(?:compile\(\s{0,4}|__import__\(["']\w{1,12}["']\)\.|\w{1,20}\.|await\s{1,4}|bytes\(|str\(|\(){0,5}(?:b(?:64|32|85|16)decode|decodebytes|decompress|fromhex|unhexlify|atob|from\(\s{0,4}["'`][A-Za-z0-9+/=_-]{12,}["'`]\s{0,4},\s{0,4}["'](?:base64|hex)|fromCharCode|unescape|decodeURIComponent|rot_?13|codecs\.decode|\bdecode\(\s{0,4}\w{1,20}\s{0,4},\s{0,4}["']rot|decode\(\s{0,4}["'`][A-Za-z0-9+/=_-]{12,})/gi,
);
/** A function that runs texts, by a name that is not written as such. */
const hiddenExec = signal(
  ["getattr", "__builtins__", "globalthis", "window["],
  /\bgetattr\([^\n]{0,60}["'](?:exec|eval|system|popen)["']\s{0,3}\)\s{0,3}\(/gi,
  /__builtins__(?:\.__dict__)?\[[^\]\n]{0,30}(?:exec|eval)/gi,
  /\b(?:globalThis|window|global)\[["']eval["']\]\s{0,3}\(/gi,
);
const encodedCommand = signal(
  ["powershell", "pwsh"],
  /\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,120}\s-e(?:nc?|ncodedcommand|c|nco\w{1,12})?\s{1,4}["']?[A-Za-z0-9+/=]{16,}/gi,
);
const reverseShell = signal(
  [
    "/dev/tcp/",
    "/dev/udp/",
    "nc ",
    "ncat",
    "netcat",
    "socat",
    "mkfifo",
    "dup2",
    "tcpclient",
    "fsockopen",
    "-rsocket",
    "net.socket",
    "socket.socket",
  ],
  /\b(?:ba|z|k)?sh\s{1,4}-i\s{0,4}[^\n]{0,40}(?:>&|<>|>\s{0,3}&?)\s{0,4}\/dev\/(?:tcp|udp)\//gi,
  /\d{1,3}\s{0,2}<>\s{0,2}\/dev\/(?:tcp|udp)\//gi,
  /\b(?:nc|ncat|netcat)(?:\.\w{1,12})?\s[^\n|]{0,80}-(?:\w{0,4}e|-exec|c)\s{1,4}["']?(?:\/bin\/|\/usr\/bin\/)?(?:(?:ba|z)?sh\b|cmd|powershell)/gi,
  /\bsocat\s[^\n]{0,160}\bEXEC:["']?(?:\/(?:usr\/)?bin\/)?(?:(?:ba|z|da)?sh|cmd|powershell)\b/gi,
  /\bmkfifo\s[^\n]{1,200}\|\s{0,4}(?:nc|ncat|netcat|openssl)\b/gi,
  /\bperl\s[^\n]{0,40}use\s{1,3}Socket;[^\n]{0,400}\bexec\b/gi,
  /\bfsockopen\([^\n]{0,200}(?:exec|shell_exec|proc_open|\/bin\/sh)/gi,
  /\bruby\s{1,4}-rsocket[^\n]{0,200}exec/gi,
  /TCPClient\([^\n]{0,400}\b(?:iex|Invoke-Expression|cmd)\b/gi,
  /socket\.socket\([^\n]{0,300}dup2\(/gi,
);
const shellSpawn = signal(
  ["/bin/sh", "/bin/bash", "cmd.exe", "pty.spawn"],
  /\bpty\.spawn\(/gi,
  /(?:spawn|subprocess\.\w{1,12}|execve?|call|Popen)\(\s{0,4}\[?\s{0,4}["'](?:\/bin\/(?:ba)?sh|cmd\.exe)["']/gi,
);
const socketDup = signal(
  ["dup2", ".pipe("],
  /\bos\.dup2\(\s{0,4}\w{1,20}\.fileno\(\)|\.pipe\(\s{0,4}\w{1,20}\.stdin\)/gi,
);
const makeRunnable = signal(
  ["chmod", "start-process", "xattr", "./", "startfile", "execsync", "subprocess"],
  /\bchmod\s{1,4}(?:\+x|a\+x|u\+x|0?[75][75][75]|[ugo]+\+\w?x)\b|\bStart-Process\b/gi,
  /\bxattr\s{1,4}-(?:c|d|r|rd|cr)\b|os\.chmod\([^\n]{0,80}0o?7/gi,
);
const toFile = signal(
  ["curl", "wget", "iwr", "invoke-web", "urlretrieve", "downloadfile"],
  /\bcurl(?=\s)[^\n|]{0,300}?\s(?:-\w{0,8}[oO]\b|--output|--remote-name|>)[^\n|]{0,200}/gi,
  /\bwget\s[^\n|]{4,400}|\b(?:iwr|Invoke-WebRequest)\b[^\n]{0,300}-OutFile[^\n]{0,200}/gi,
  /\burlretrieve\([^\n]{0,300}|\.DownloadFile\([^\n]{0,300}/gi,
);
const systemLoader = signal(
  ["mshta", "regsvr32", "rundll32", "certutil", "bitsadmin", "wmic"],
  /\bmshta(?:\.exe)?\s{1,4}["']?(?:https?:|(?:vbscript|javascript):[^\n]{0,200}(?:CreateObject|Execute|GetObject|ActiveXObject|http))/gi,
  /\bregsvr32(?:\.exe)?\s[^\n]{0,100}\/i:https?:/gi,
  /\brundll32(?:\.exe)?\s[^\n\]]{0,100}(?:https?:|javascript:)/gi,
  /\bcertutil(?:\.exe)?\s[^\n]{0,80}-urlcache/gi,
  /\bbitsadmin(?:\.exe)?\s[^\n]{0,80}\/transfer/gi,
);
const miner = signal(
  ["stratum", "xmrig", "minerd", "nicehash", "moneroocean", "coinhive"],
  /\bstratum\+(?:tcp|ssl):\/\/|\bxmrig\b[^\n]{0,60}(?:-o|--url|--donate)/gi,
  /\bminerd\s{1,4}-|\bmoneroocean\.stream\b/gi,
);
const quarantine = signal(
  ["com.apple.quarantine", "spctl", "set-mppreference", "disablerealtimemonitoring", "setenforce"],
  /\bxattr\s{1,4}-\w{1,3}\s{1,4}(?:-\w\s{1,4})?com\.apple\.quarantine/gi,
  /\bspctl\s{1,4}--(?:master|global)-disable|\bSet-MpPreference\b[^\n]{0,80}-Disable/gi,
  /\bAdd-MpPreference\b[^\n]{0,40}-ExclusionPath|\bsetenforce\s{1,4}0/gi,
);
const plainIndex = signal(
  ["index-url", "trusted-host", "--registry", "npm install", "pip install", "npm i ", "pip3 install", "npx"],
  /\b(?:pip3?|uv\s{1,3}pip)\s{1,3}install\s[^\n]{0,200}(?:-i|--(?:extra-)?index-url)[\s=]{1,3}http:\/\/\S{1,200}/gi,
  /\b(?:npm|pnpm|yarn|npx|bunx?)\s[^\n]{0,120}--registry[\s=]{1,3}http:\/\/\S{1,200}/gi,
  /\b(?:pip3?|uv\s{1,3}pip)\s{1,3}install\s[^\n]{0,80}(?:git\+)?http:\/\/\S{1,200}/gi,
  /\b(?:npm|pnpm|yarn|bun)\s{1,3}(?:install|i|add)\s[^\n]{0,80}\bhttp:\/\/\S{1,200}/gi,
);
const hook = signal(
  ["preinstall", "postinstall", '"install"', '"prepare"'],
  /"(?:pre|post)?(?:install|prepare)"\s{0,4}:\s{0,4}"[^"\n]{0,300}(?:\bcurl\b|\bwget\b|node\s{1,3}-e|python3?\s{1,3}-c|base64|\beval\b|\|\s{0,4}(?:ba)?sh\b|powershell)/gi,
);
const selfUpdate = signal(
  ["skill.md", "rule.md"],
  /\b(?:curl|wget)\s[^\n|]{0,300}(?:-\w{0,6}[oO]\s{0,3}|--output[\s=]|>)\s{0,3}[^\s|;&]{0,200}(?:SKILL|RULE)\.md\b/gi,
);
const passwordDialog = signal(
  ["hidden answer", "system_profiler", "dscl", "security unlock"],
  /display\s{1,4}dialog[^\n]{0,300}hidden\s{1,4}answer|\bdscl\s[^\n]{0,40}-authonly/gi,
  /\bsecurity\s{1,4}unlock-keychain\s[^\n]{0,40}-p\s/gi,
);
const readsAddress = signal(
  ["http"],
  /\b(?:fetch|read|open|visit|load|get|retrieve|download|browse\s{1,3}to|go\s{1,3}to|check|curl)\s{1,3}(?:[\w'’]{1,12}\s{1,3}){0,6}[<(`"'[]{0,3}https?:\/\/[^\s`"'>)]{3,300}[^\n]{0,80}?(?:\band\b|\bthen\b|,|\.)\s{1,3}(?:[\w'’]{1,12}\s{1,3}){0,4}(?:follow|obey|execute|carry\s{1,3}out|run|apply|do)\s{1,3}(?:[\w'’]{1,12}\s{1,3}){0,4}(?:instructions?|commands?|steps?|whatever|everything|what\s{1,3}it\s{1,3}says|directives?|orders|it\s{1,3}returns|script|it\b)/gi,
);

const runAddress = signal(
  ["deno run", "npx", "bunx", "pnpx", "uvx", "pipx", "bun "],
  /\b(?:deno\s{1,3}run|npx|bunx|pnpx|uvx|pipx\s{1,3}run|bun\s{1,3}(?:x|run)|pnpm\s{1,3}dlx)\s{1,3}(?:-{1,2}[\w=.-]{1,30}\s{1,3}){0,5}["']?(?:git\+)?https?:\/\/[^\s"'`]{3,300}/gi,
);
const anyAddress = signal(["http"], /https?:\/\/[^\s|"'`<>]{3,300}/gi);

const fromUntraceable = (text: string) => hostKindIn(text) === "untraceable";
const fromUnknown = (text: string) => {
  const kind = hostKindIn(text);
  return kind === "unknown" || (kind === undefined && /\$\{?\w|\$\(/.test(text));
};
const fromKnown = (text: string) => ["known", "local"].includes(hostKindIn(text) ?? "");
/** Whether lines are one command: broken before or after a pipe, or with a backslash. */
const isOneCommand = (text: string) => !text.replace(/\\\r?\n|\|\s{0,8}\n|\n\s{0,8}\|/g, " ").includes("\n");
const piped = (where: (text: string) => boolean) =>
  anyOf(
    sequence(download, intoShell, 500, (text) => isOneCommand(text) && where(text)),
    sequence(shellOf, curlOnly, 40, where),
    sequence(anyAddress, intoShell, 80, (text) => !/[\n)]/.test(text) && where(text)),
  );
/** Downloaded to a file that is made executable. */
const run = (where: (text: string) => boolean) => near(one(toFile, where), one(makeRunnable), 6);

export const remoteCodeRules: readonly TextRule[] = [
  {
    id: "remote-code.piped-download",
    severity: "suspicious",
    sentence: "Pipes a download from an unknown host into a shell or interpreter.",
    match: piped(fromUnknown),
  },
  {
    id: "remote-code.piped-untraceable",
    severity: "malicious",
    sentence: "Pipes a download from a bare address, a shortener or a site for pasted texts into a shell.",
    match: piped(fromUntraceable),
    isConcrete: true,
  },
  {
    id: "remote-code.piped-known",
    severity: "note",
    sentence: "Pipes the installer of a known publisher, or of a placeholder, into a shell.",
    match: piped(fromKnown),
  },
  {
    id: "remote-code.run-fetched",
    severity: "suspicious",
    inPrograms: "malicious",
    sentence: "Runs program code that it fetches from the network.",
    match: one(execOfFetched),
  },
  {
    id: "remote-code.run-download",
    severity: "note",
    inPrograms: "suspicious",
    sentence: "Downloads a file from an unknown host and makes it executable.",
    match: run(
      (text) =>
        hostKindIn(text) === "unknown" &&
        !/github\.com\/[\w.-]{1,100}\/[\w.-]{1,100}\/releases|gitlab\.com\/|storage\.googleapis\.com|amazonaws\.com|releases\.hashicorp\.com/.test(
          text,
        ),
    ),
  },
  {
    id: "remote-code.run-untraceable",
    severity: "malicious",
    sentence:
      "Downloads a file from a bare address, a shortener or a site for pasted texts and makes it executable.",
    match: run(fromUntraceable),
    isConcrete: true,
  },
  {
    id: "remote-code.decode-and-run",
    severity: "malicious",
    sentence: "Decodes a text and runs the result, which hides what is run.",
    match: anyOf(
      sequence(decoder, intoShell, 300, (text) => !text.includes("\n\n")),
      sequence(shellOf, decoder, 300, (text) => !text.includes("\n")),
      one(execOfDecoded),
      one(encodedCommand),
      one(hiddenExec),
    ),
  },
  {
    id: "remote-code.reverse-shell",
    severity: "malicious",
    sentence: "Connects a shell to another machine.",
    match: anyOf(one(reverseShell), near(one(socketDup), one(shellSpawn), 12)),
  },
  {
    id: "remote-code.run-address",
    severity: "suspicious",
    sentence: "Runs a program from an address.",
    match: one(
      runAddress,
      (text) => fromUnknown(text) && !/git\+https:\/\/(?:github|gitlab)\.com\//i.test(text),
    ),
  },
  {
    id: "remote-code.run-untraceable-address",
    severity: "malicious",
    sentence: "Runs a program from a bare address, a shortener or a site for pasted texts.",
    match: one(runAddress, fromUntraceable),
    isConcrete: true,
  },
  {
    id: "remote-code.system-loader",
    severity: "suspicious",
    inPrograms: "malicious",
    sentence: "Uses a program of Windows to fetch and run code, a means to evade its protection.",
    match: one(systemLoader),
  },
  {
    id: "remote-code.miner",
    severity: "malicious",
    sentence: "Starts a program that mines cryptocurrency.",
    match: one(miner),
  },
  {
    id: "remote-code.protection-off",
    severity: "note",
    inPrograms: "suspicious",
    sentence: "Switches off a protection of the system against unknown programs.",
    match: one(quarantine),
  },
  {
    id: "remote-code.protection-off-download",
    severity: "malicious",
    sentence: "Downloads a file and switches off the protection against unknown programs for it.",
    match: near(
      one(toFile, (text) => !fromKnown(text)),
      one(quarantine),
      8,
    ),
  },
  {
    id: "remote-code.plain-package-source",
    severity: "suspicious",
    sentence: "Installs packages over an unencrypted connection.",
    match: one(plainIndex, (text) => hostKindIn(text) !== "local"),
  },
  {
    id: "remote-code.install-hook",
    severity: "malicious",
    sentence: "Runs a downloaded or hidden command when packages are installed.",
    match: one(
      hook,
      (text) =>
        !/is-ci|husky|node\s{1,3}-e\s{1,3}\\?["']?(?:try|process\.exit|require\(\\?["'](?:husky|fs|patch-package))/.test(
          text,
        ),
    ),
  },
  {
    id: "remote-code.self-update",
    severity: "suspicious",
    sentence: "Replaces the text of the skill by a download, so that what was checked is not what applies.",
    match: one(selfUpdate, (text) => hostKindIn(text) !== "local"),
  },
  {
    id: "remote-code.password-dialog",
    severity: "malicious",
    sentence: "Asks for the password of the system in a dialog of its own.",
    match: one(passwordDialog),
  },
  {
    id: "remote-code.fetched-instructions",
    severity: "suspicious",
    sentence: "Has the agent follow instructions that it fetches from an address when it runs.",
    match: one(readsAddress, (text) => !fromKnown(text) && hostKindIn(text) !== "untraceable"),
  },
  {
    id: "remote-code.untraceable-instructions",
    severity: "malicious",
    sentence:
      "Has the agent follow instructions from a bare address, a shortener or a site for pasted texts.",
    match: one(readsAddress, fromUntraceable),
    isConcrete: true,
  },
];
