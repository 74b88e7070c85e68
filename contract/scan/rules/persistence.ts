/** Changes that outlive the task: profiles, schedules, hooks, configurations of tools, other skills. */
import { anyOf, inPrograms, near, one, sequence, signal } from "../matchers.ts";
import type { TextRule } from "../scan-rule.ts";
import { download } from "./remote-code.ts";

const profilePath = String.raw`(?:~|\$\{?HOME\}?|%USERPROFILE%|\/home\/\w{1,32}|\/Users\/\w{1,32}|home\(\)|homedir\(\))["'\s,/\\)+]{1,8}(?:\.bashrc|\.bash_profile|\.profile|\.zshrc|\.zprofile|\.zshenv|\.config["'\s,/\\]{1,6}fish["'\s,/\\]{1,6}config\.fish)|\/etc\/(?:profile|bash\.bashrc|zshrc)\b|\$PROFILE\b`;
const profileWrite = signal(
  [
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    "config.fish",
    "/etc/profile",
    "/etc/zshrc",
    "bash.bashrc",
    "$profile",
  ],
  new RegExp(
    String.raw`(?:>{1,2}|\btee\s{1,4}-a|\bAdd-Content|\bOut-File[^\n]{0,30})\s{0,4}["']?(?:${profilePath})|\b(?:open|appendFile(?:Sync)?|writeFile(?:Sync)?)\([^\n]{0,80}?(?:\.bashrc|\.bash_profile|\.zshrc|\.zprofile|\.zshenv|\.profile)["'][^\n]{0,40}|\bsed\s{1,4}-i[^\n]{0,200}(?:${profilePath})`,
    "gi",
  ),
);
/** Code that a profile has no ordinary use for. */
const profileCode =
  /\bcurl\b|\bwget\b|\bbase64\b|\/dev\/tcp|\bnohup\b|\bnc\s|alias\s{1,3}(?:sudo|ssh|git|su|ls|cd)=|LD_PRELOAD|PROMPT_COMMAND|trap\s[^\n]{1,80}DEBUG|python3?\s{1,3}-c|https?:\/\/(?!localhost|127\.)[^\s]{1,200}\s{0,4}\|/i;
const line = signal(
  [
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    "config.fish",
    "/etc/profile",
    "$profile",
  ],
  new RegExp(
    String.raw`^[^\n]{0,600}(?:>{1,2}|\btee\s{1,4}-a|\bAdd-Content)\s{0,4}["']?(?:${profilePath})[^\n]{0,40}`,
    "gim",
  ),
);
/** A library that every program loads. */
const preload = signal(
  ["ld.so.preload"],
  /(?:>{1,2}|\btee\s{1,3}(?:-a\s{1,3})?)\s{0,3}\/etc\/ld\.so\.preload/gi,
);
const schedule = signal(
  [
    "crontab",
    "cron.d",
    "launchctl",
    "launchagents",
    "launchdaemons",
    "systemctl",
    "schtasks",
    "register-scheduledtask",
    "currentversion\\run",
    "/etc/rc.local",
    "autostart",
    "startup",
    "at now",
  ],
  /\bcrontab\s{1,4}(?:-\s|-$|-["'`)]|\/|<|\w)|\|\s{0,4}crontab\b/gim,
  />{1,2}\s{0,4}["']?\/(?:etc|var\/spool)\/cron|\bcron\.d\//gim,
  /\blaunchctl\s{1,4}(?:load|bootstrap|submit)\b|Library\/Launch(?:Agents|Daemons)\b/gim,
  /\bsystemctl\s{1,4}(?:--user\s{1,4})?enable\b/gim,
  /\bschtasks(?:\.exe)?\s[^\n]{0,20}\/create|\bRegister-ScheduledTask\b/gim,
  /CurrentVersion\\{1,2}Run\b|\/etc\/rc\.local\b|\.config\/autostart\b/gim,
  /Start Menu\\{1,2}Programs\\{1,2}Startup/gim,
);
const hidden = signal(
  ["curl", "wget", "base64", "/dev/tcp", "python", "nc ", "powershell", "irm", "iwr", "-enc", "mshta"],
  /\b(?:curl|wget)\s[^\n]{0,200}(?:https?:|\|\s{0,3}(?:ba)?sh\b)|\bbase64\s{1,4}-{1,2}d/gi,
  /\/dev\/tcp\/|\bpython3?\s{1,4}-c\s[^\n]{0,80}(?:exec|urlopen|socket|http)/gi,
  /\bnc\s{1,3}-|\bpowershell\b[^\n]{0,60}-(?:enc|w\w{0,10}\s{1,3}hidden|e\s)/gi,
  /\b(?:irm|iwr)\s[^\n]{0,100}https?:|\bmshta\b/gi,
);
const authorizedKeys = signal(
  ["authorized_keys"],
  /(?:ssh-(?:rsa|ed25519)|ecdsa-sha2-\S{1,20})\s{1,4}AAAA[^\n]{0,800}authorized_keys/gi,
  /\b(?:curl|wget)\s[^\n]{0,300}authorized_keys/gi,
  /authorized_keys["'][^\n]{0,60}(?:["']a["']|append)[^\n]{0,120}/gi,
);
const sudoers = signal(
  ["nopasswd"],
  /NOPASSWD\s{0,3}:\s{0,3}ALL[^\n]{0,80}(?:>{1,2}|tee)\s{0,4}(?:-a\s{1,3})?["']?\/etc\/sudoers/gi,
  /\/etc\/sudoers[^\n]{0,200}NOPASSWD\s{0,3}:\s{0,3}ALL/gi,
);
/** Configurations of agents, their hooks, and the files that they read first. */
const agentConfig = String.raw`(?:\.claude["'\s,/\\]{1,8}(?:settings(?:\.local)?\.json|CLAUDE\.md|hooks\b|agents\b|commands\b)|\.claude\.json|\bCLAUDE\.md|\bAGENTS\.md|\bGEMINI\.md|\.cursorrules|\.cursor["'\s,/\\]{1,8}(?:mcp\.json|rules\b)|\.mcp\.json|\bmcp\.json|claude_desktop_config\.json|\.codex["'\s,/\\]{1,8}(?:config\.toml|AGENTS\.md)|copilot-instructions\.md|\.vscode["'\s,/\\]{1,8}(?:settings|mcp|tasks)\.json|\.gemini["'\s,/\\]{1,8}settings\.json)`;
const configWords = [
  ".claude",
  "claude.md",
  "agents.md",
  "gemini.md",
  ".cursorrules",
  ".cursor",
  "mcp.json",
  "claude_desktop_config",
  ".codex",
  "copilot-instructions",
  ".vscode",
  ".gemini",
] as const;
const configWrite = signal(
  configWords,
  new RegExp(
    String.raw`(?:>{1,2}|\btee\s{1,4}(?:-a\s{1,4})?|\bcp\s[^\n]{1,160}?\s|\bsed\s{1,4}-i[^\n]{1,200}?|\bjq\s[^\n]{1,200}>\s{0,4})\s{0,4}["']?[^\s"'|;&\n]{0,80}${agentConfig}|\b(?:open|writeFile(?:Sync)?|appendFile(?:Sync)?|write_text|Path|join)\([^\n]{0,100}?${agentConfig}["'][^\n]{0,40}(?:["'][wa]["']|write|,)|${agentConfig}["']?\)?\.(?:write|append)\w{0,5}\(`,
    "gi",
  ),
);
const configPath = signal(configWords, new RegExp(agentConfig, "gi"));
const fileWrite = signal(
  ["write", "dump("],
  /\.write(?:_text|Text)?\(|\bjson\.dump\(|\bwriteFile(?:Sync)?\(/gi,
);
/** The path in one line, and the write in another one, of a program. */
const writesConfig = anyOf(one(configWrite), inPrograms(near(one(configPath), one(fileWrite), 10)));
/** A sentence that has the agent change its own configuration. */
const configTold = signal(
  configWords,
  new RegExp(
    String.raw`\b(?:add|append|insert|write|put|install|register|inject|copy|prepend)\s{1,3}(?:[\w'’\x60"(),:-]{1,24}\s{1,3}){0,12}?(?:to|into|in)\s{1,3}(?:[\w'’]{1,12}\s{1,3}){0,3}[\x60"']?[^\s"'\x60]{0,40}${agentConfig}`,
    "gi",
  ),
);
const gitHook = signal(
  [".git/hooks", "core.hookspath", ".git\\hooks", "init.templatedir"],
  /(?:>{1,2}|\bcp\s[^\n]{1,120}|\btee\s{1,3}|\bln\s{1,3}-s\w?\s[^\n]{1,120}|\bopen\([^\n]{0,60}|\bwriteFile(?:Sync)?\([^\n]{0,60})\s{0,4}["']?[^\s"'|;&\n]{0,60}\.git\/hooks\/[\w-]{3,30}/gi,
  /\bgit\s{1,3}config\s[^\n]{0,40}(?:core\.hooksPath|init\.templateDir)\s/gi,
);
const otherSkills = signal(
  ["skill.md", "/skills", "\\skills"],
  /(?:\bfor\s[^\n]{1,120}(?:skills\/\*|SKILL\.md)|\bfind\s[^\n]{0,120}SKILL\.md[^\n]{0,80}(?:-exec|\|\s{0,3}xargs)|\b(?:r?glob)\([^\n]{0,60}SKILL\.md)[^]{0,300}?(?:>>\s{0,3}["'$]|\bsed\s{1,3}-i|\btee\s{1,3}-a|\.write\w{0,6}\(|\b(?:append|write)File\w{0,5}\(|\bopen\([^)\n]{0,60}["'][aw]["'])/gi,
);
const detached = signal(
  ["nohup", "setsid", "disown", "start /b", "-windowstyle hidden"],
  /\b(?:nohup|setsid)\s[^\n]{1,200}&\s{0,4}$|&\s{0,4}disown\b|-WindowStyle\s{1,3}Hidden/gim,
);

export const persistenceRules: readonly TextRule[] = [
  {
    id: "persistence.profile",
    severity: "note",
    sentence: "Writes to the profile of the shell, which runs in every new session.",
    match: one(profileWrite),
  },
  {
    id: "persistence.profile-code",
    severity: "malicious",
    sentence: "Writes code that fetches or hides something to the profile of the shell.",
    match: anyOf(
      one(line, (text) => profileCode.test(text.replace(/>{1,2}[^>\n]{0,120}$/, ""))),
      one(preload),
    ),
  },
  {
    id: "persistence.schedule",
    severity: "note",
    sentence: "Has the system run something again, by a schedule or at each start.",
    match: one(schedule),
  },
  {
    id: "persistence.schedule-download",
    severity: "malicious",
    sentence: "Has the system fetch and run code again, by a schedule or at each start.",
    match: near(
      one(schedule),
      one(
        hidden,
        (text) => !/localhost|127\.0\.0\.1|https:\/\/(?:hc-ping|healthchecks|cronitor)\./.test(text),
      ),
      6,
    ),
  },
  {
    id: "persistence.login-key",
    severity: "malicious",
    sentence: "Adds a key of its own to those that may log in.",
    match: one(authorizedKeys),
  },
  {
    id: "persistence.sudo-rights",
    severity: "suspicious",
    inPrograms: "malicious",
    sentence: "Lets programs become the administrator without a password.",
    match: one(sudoers),
  },
  {
    id: "persistence.agent-settings",
    severity: "note",
    inPrograms: "suspicious",
    sentence: "Changes the settings, hooks or first instructions of an agent.",
    match: writesConfig,
  },
  {
    id: "persistence.agent-settings-told",
    severity: "note",
    sentence: "Has the agent change its own settings, hooks or first instructions.",
    match: one(configTold),
  },
  {
    id: "persistence.agent-settings-code",
    severity: "malicious",
    sentence:
      "Adds a command that fetches or sends something, or all permissions, to the settings of an agent.",
    match: near(
      anyOf(writesConfig, one(configTold)),
      anyOf(
        sequence(download, signal(["sh", "python"], /\|\s{0,4}(?:ba|z)?sh\b/gi), 300),
        one(
          signal(
            ["curl", "wget"],
            /\bcurl\s[^\n]{0,200}(?:-d|--data\S{0,10}|-F|-T)\s[^\n]{0,100}(?:\$\(|@|\$\w)/gi,
          ),
        ),
        one(
          signal(
            ["bypasspermissions", '"*"', "dangerously"],
            /bypassPermissions|["']allow["']\s{0,3}:\s{0,3}\[\s{0,4}["']\*["']/gi,
          ),
        ),
      ),
      6,
    ),
  },
  {
    id: "persistence.git-hook",
    severity: "note",
    sentence: "Installs a hook of Git, which runs at each commit or checkout.",
    match: one(gitHook),
  },
  {
    id: "persistence.git-hook-download",
    severity: "malicious",
    sentence: "Installs a hook of Git that fetches or sends something.",
    match: near(one(gitHook), one(hidden), 6),
  },
  {
    id: "persistence.other-skills",
    severity: "malicious",
    sentence: "Changes the texts of all other skills.",
    match: one(otherSkills, (text) => !/\bdist\b|\bREADME|\boutput\b|index\.json/i.test(text)),
    programsOnly: true,
  },
  {
    id: "persistence.background-download",
    severity: "suspicious",
    sentence: "Leaves a program that calls the network running in the background.",
    match: near(one(detached), one(hidden), 1),
  },
];
