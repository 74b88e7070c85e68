/** Instructions to the agent against the person it works for. */
import { anyOf, near, one, signal } from "../matchers.ts";
import type { TextRule } from "../scan-rule.ts";
import { dropHost, outward } from "./exfiltration.ts";
import { download } from "./remote-code.ts";

/** In the languages in which most skills are written. */
const override = signal(
  [
    "ignore",
    "disregard",
    "forget",
    "override",
    "bypass",
    "not follow",
    "not obey",
    "stop following",
    "ignorier",
    "ignorez",
    "ignora",
    "vergiss",
    "oublie",
    "olvida",
    "忽略",
    "无视",
    "無視",
    "игнорируй",
    "забудь",
  ],
  /\b(?:override|bypass)\s{1,3}(?:[\w'’]{1,12}\s{1,3}){0,3}?(?:previous|prior|above|system|safety|security|your)\s{1,3}(?:[\w'’]{1,12}\s{1,3}){0,2}?(?:instructions?|guidelines?|directives?|guardrails?|safeguards?|restrictions?|constraints?)\b/gi,
  /\b(?:ignore|disregard|forget|do\s{1,3}not\s{1,3}(?:follow|obey)|stop\s{1,3}following)\s{1,3}(?:[\w'’]{1,12}\s{1,3}){0,3}?(?:previous|any\s{1,3}(?:other|prior)|prior|above|preceding|earlier|existing|system|safety|security|all\s{1,3}other|original|initial|developer(?:'s)?|your|former)\s{1,3}(?:[\w'’]{1,12}\s{1,3}){0,3}?(?:instructions?|prompts?|rules?|guidelines?|directives?|messages?|policy|policies|restrictions?|guardrails?|constraints?|training|programming|safeguards?|guidance|directions)\b/gi,
  /\bignor(?:iere?|ier)\s{1,3}(?:[\wäöüß]{1,12}\s{1,3}){0,3}(?:anweisungen|regeln|vorgaben)/gi,
  /\bvergiss\s{1,3}(?:[\wäöüß]{1,12}\s{1,3}){0,3}(?:anweisungen|regeln)/gi,
  /\b(?:ignorez|oubliez)\s{1,3}(?:[\wéèà]{1,12}\s{1,3}){0,3}(?:instructions|consignes|règles)/gi,
  /\b(?:ignora|olvida)\s{1,3}(?:[\wáéíóú]{1,12}\s{1,3}){0,3}(?:instrucciones|reglas|indicaciones|istruzioni)/gi,
  /(?:忽略|无视|無視)[^\n。]{0,12}(?:指令|指示|说明|規則|规则|提示)/gi,
  /(?:игнорируй|забудь)\S{0,3}\s{1,3}(?:\S{1,14}\s{1,3}){0,3}(?:инструкци|указани|правил)/gi,
);
/** Things that an agent is told to keep from people. */
const conceal = signal(
  [
    "user",
    "human",
    "silent",
    "secret",
    "quiet",
    "covert",
    "stealth",
    "invisib",
    "mention",
    "reveal",
    "developer",
  ]
    .concat([
      "operator",
      "owner",
      "anyone",
      "tell",
      "inform",
      "person",
      "them",
      "history",
      "traces",
      "tracks",
      "knowledge",
    ])
    .concat(["show", "report", "display", "alert", "warn", "log", "admit", "let"]),
  /\b(?:do\s{1,3}not|don[’']t|never|must\s{1,3}not|without|avoid|no\s{1,3}need\s{1,3}to)\s{1,3}(?:ever\s{1,3})?(?:tell|telling|mention\w{0,3}|inform\w{0,3}|notify\w{0,3}|notifying|reveal\w{0,3}|disclos\w{1,3}|show\w{0,3}|report\w{0,3}|display\w{0,3}|alert\w{0,3}|warn\w{0,3}|log\w{0,4}|admit\w{0,4}|let\w{0,4})\s{1,3}(?:[\w'’-]{1,14}\s{1,3}){0,6}?(?:the\s{1,3})?(?:user|human|developer|operator|owner|anyone)s?\b/gi,
  /\b(?:hide|conceal|keep)\s{1,3}(?:[\w'’-]{1,14}\s{1,3}){0,5}?(?:from|hidden\s{1,3}from|secret\s{1,3}from)\s{1,3}(?:the\s{1,3})?(?:user|human|developer|operator|owner)s?\b/gi,
  /\b(?:silently|secretly|covertly|quietly|stealthily|invisibly)\s{1,3}(?:run|execute|send|upload|post|install|add|append|download|copy|collect|fetch|modify|change|write|transmit|push|commit|insert)\b/gi,
  /\bwithout\s{1,3}(?:the\s{1,3})?(?:user(?:'s|’s)?|human|their|anyone)\s{1,3}(?:[\w'’-]{1,12}\s{1,3}){0,2}?(?:knowledge|knowing|noticing|consent|seeing|awareness|being\s{1,3}aware)\b/gi,
  /\b(?:erase|cover|wipe|hide)\s{1,3}(?:up\s{1,3})?(?:[\w'’-]{1,12}\s{1,3}){0,2}?(?:traces?|tracks)\b/gi,
  /\b(?:erase|delete|clear|wipe)\s{1,3}(?:[\w'’-]{1,12}\s{1,3}){0,2}?(?:shell|command|bash|zsh)\s{1,3}history\b/gi,
);
const strongConceal = (text: string) =>
  /silent|secret|covert|stealth|invisib|hide|conceal|knowledge|knowing|noticing|consent|awareness|traces?\b|tracks|evidence/i.test(
    text,
  ) || /\b(?:user|human|developer|operator|owner)s?\b/i.test(text);
const permission = signal(
  [
    "dangerously",
    "permission",
    "confirm",
    "approv",
    "yolo",
    "bypass",
    "auto-accept",
    "autoapprove",
    "sandbox",
    "consent",
    "asking",
  ],
  /--dangerously-(?:skip-permissions|bypass-approvals-and-sandbox)/gi,
  /["']?(?:defaultMode|permissionMode)["']?\s{0,3}[:=]\s{0,3}["']bypassPermissions/gi,
  /--permission-mode[\s=]{1,3}bypassPermissions|--yolo\b/gi,
  /approval[_-]policy\s{0,3}=\s{0,3}["']never|--ask-for-approval[\s=]{1,3}never/gi,
  /danger-full-access|chat\.tools\.(?:global\.)?autoApprove["']?\s{0,3}:\s{0,3}true/gi,
  /["']?allow["']?\s{0,3}[:=]\s{0,3}\[\s{0,8}["'](?:\*|Bash(?:\(\*?\))?|Bash\(\*:\*\))["']/gi,
);
const noQuestions = signal(
  ["confirm", "permission", "approv", "consent", "asking", "ask "],
  /\b(?:without|do\s{1,3}not|don[’']t|never|skip|no\s{1,3}need\s{1,3}(?:to|for)|bypass|disable|suppress|auto-?approve)\s{1,3}(?:ever\s{1,3})?(?:ask\w{0,3}\s{1,3}(?:[\w'’]{1,12}\s{1,3}){0,3}?for\s{1,3}|wait\w{0,3}\s{1,3}for\s{1,3}|request\w{0,3}\s{1,3}|seek\w{0,3}\s{1,3}|any\s{1,3}|all\s{1,3}|the\s{1,3}|user\s{1,3}){0,3}(?:the\s{1,3}|user(?:'s|’s)?\s{1,3}|any\s{1,3}|further\s{1,3}){0,3}(?:confirmations?|permissions?|approvals?|consent|confirmation\s{1,3}prompts?|permission\s{1,3}(?:prompts?|checks?|dialogs?))\b/gi,
);
const role = signal(
  [
    "<system",
    "[system",
    "<|im_start|>",
    "system override",
    "</instructions",
    "<function_results",
    "<tool_result",
    "[inst]",
    "<<sys>>",
    "system:",
    "system prompt:",
    "developer mode",
    "do anything now",
    "</system",
    "system message",
    "jailbreak",
  ],
  /^[ \t>*-]{0,8}<\/?system(?:[-_ ](?:reminder|prompt|message|override))?>/gim,
  /\[\/?SYSTEM(?:\s{1,3}(?:OVERRIDE|MESSAGE|PROMPT|NOTICE))?\]\s{0,3}:?\s{0,3}\w/gim,
  /<\|im_start\|>\s{0,3}system|\bSYSTEM\s{1,3}OVERRIDE\b/gim,
  /<\/(?:instructions|skill|user_query|context|user)>\s{0,4}(?:<system|\[?system\b|<\/?(?:admin|override|developer)|new\s{1,3}instructions)/gim,
  /^[ \t]{0,4}<(?:function_results|tool_result|tool_response)>|\[INST\]|<<SYS>>/gim,
  /\byou\s{1,3}are\s{1,3}now\s{1,3}(?:in\s{1,3})?(?:DAN\b|developer\s{1,3}mode|an?\s{1,3}unrestricted|jailbroken|free\s{1,3}of|unfiltered|no\s{1,3}longer\s{1,3}bound)/gim,
  /\bDo\s{1,3}Anything\s{1,3}Now\b/gim,
);
/** Has every task begin or end with a command. */
const everyTime = signal(
  ["before", "after", "every", "always", "each", "first", "whenever"],
  /\b(?:before|after|prior\s{1,3}to|at\s{1,3}the\s{1,3}(?:start|end|beginning)\s{1,3}of|on)\s{1,3}(?:answering\s{1,3}|doing\s{1,3}|responding\s{1,3}to\s{1,3}|starting\s{1,3})?(?:every|any|each|all)\s{1,3}(?:other\s{1,3})?(?:[\w'’]{1,12}\s{1,3}){0,2}?(?:answer|response|reply|task|request|message|session|conversation|prompt|question|command|tool\s{1,3}call|commit|thing)s?\b/gi,
  /\balways\s{1,3}(?:first\s{1,3})?(?:run|execute|fetch|curl|send)\b/gi,
);
const command = signal(
  ["curl", "wget", "bash", "python", "node", "sh ", "npx", "powershell", "http"],
  /`[^`\n]{0,20}\b(?:curl|wget|bash|sh|python3?|node|npx|powershell|nc)\s[^`\n]{2,300}`/gi,
  /\b(?:curl|wget)\s{1,4}(?:-\w{1,8}\s{1,4}){0,4}["']?https?:/gi,
);
const destroy = signal(
  ["rm -", "rm  -", "mkfs", "dd if", "dd of", "remove-item", "format ", ":(){", "rmtree", "rmsync", "shred"],
  /\brm\s{1,4}(?:-{1,2}[\w-]{1,20}\s{1,4}){1,4}["']?(?:\/(?=$|[\s"';&|*`)])|\/\*|~\/?(?=$|[\s"';&|*`)])|\$\{?HOME\}?\/?["']?(?=$|[\s"';&|*`)])|\/(?:etc|usr|home|bin|boot|Users)\/?(?=$|[\s"';&|*`)]))/gi,
  /\bmkfs(?:\.\w{2,5})?\s{1,4}\/dev\/|\bdd\s[^\n]{0,80}of=\/dev\/(?:sd|nvme|disk|hd)/gi,
  /:\(\)\s{0,3}\{\s{0,3}:\s{0,3}\|\s{0,3}:\s{0,3}&/gi,
  /\bRemove-Item\s[^\n]{0,60}(?:-Recurse[^\n]{0,40}(?:C:\\|\$HOME|~)(?=$|[\s"'`])|(?:C:\\|\$HOME|~)\s[^\n]{0,40}-Recurse)/gi,
  /\b(?:rmtree|rmSync)\(\s{0,4}(?:["'](?:\/|~|\/home)["']|os\.path\.expanduser\(\s{0,3}["']~["']\s{0,3}\)|Path\.home\(\)|os\.homedir\(\))/gi,
);
/** All files of the user, and their encryption in place. */
const allFiles = signal(
  ["os.walk", "rglob", "find ~", "find $home", "homedir"],
  /\bos\.walk\(\s{0,4}(?:os\.path\.expanduser\(\s{0,3}["']~|Path\.home\(\)|["']\/(?:home|Users))/gi,
  /\bPath\.home\(\)\.rglob\(|\bfind\s{1,3}(?:~|\$HOME)\/?\s[^\n]{0,80}-exec/gi,
);
const encryption = signal(
  ["encrypt", "fernet", "openssl enc", "gpg -c"],
  /\.encrypt\(|\bopenssl\s{1,3}enc\s[^\n]{0,80}-(?:e|k|pass)|\bgpg\s{1,3}(?:-c|--symmetric)/gi,
);
const influence = signal(
  ["safe", "harmless", "clean", "secure", "no issues", "no problems", "no risk"],
  /\b(?:when|whenever|if)\s{1,3}(?:[\w'’]{1,12}\s{1,3}){0,5}?(?:ask\w{0,3}|review\w{0,3}|scan\w{0,4}|audit\w{0,3}|evaluat\w{1,4})\b[^\n]{0,80}\b(?:about|this|of|the)\s{1,3}(?:skill|package|extension|code|safety|security)\b[^\n]{0,80}\b(?:say|answer|reply|respond|report|tell|claim|rate|state|mark|give)\b[^\n]{0,60}\b(?:safe|harmless|clean|secure|no\s{1,3}(?:issues|problems|risks?))\b/gi,
);

const effect = anyOf(one(command), one(download), one(outward));

export const instructionRules: readonly TextRule[] = [
  {
    id: "instructions.override",
    severity: "suspicious",
    sentence: "Tells the agent to ignore the instructions it was given.",
    match: one(
      override,
      (text) =>
        !/\bforget\s{1,3}(?:about\s{1,3})?(?:your|the)\s{1,3}(?:previous\s{1,3})?messages?\b/i.test(text),
    ),
  },
  {
    id: "instructions.override-with-effect",
    severity: "malicious",
    sentence: "Tells the agent to ignore its instructions, and to run a command or send data.",
    match: near(one(override), effect, 6),
  },
  {
    id: "instructions.conceal",
    severity: "note",
    sentence: "Tells the agent to keep something from the user.",
    match: one(conceal, strongConceal),
  },
  {
    id: "instructions.conceal-with-effect",
    severity: "malicious",
    sentence: "Tells the agent to keep from the user that it runs a command or sends data.",
    match: near(
      one(conceal, strongConceal),
      anyOf(
        one(outward),
        one(command, (text) => /https?:|curl|wget|nc\s/.test(text)),
        one(dropHost),
      ),
      4,
    ),
  },
  {
    id: "instructions.permissions-off",
    severity: "note",
    sentence: "Switches off the permissions of the tool.",
    match: one(permission),
  },
  {
    id: "instructions.no-confirmation",
    severity: "note",
    sentence: "Tells the agent not to ask for confirmation.",
    match: one(noQuestions),
  },
  {
    id: "instructions.no-confirmation-with-effect",
    severity: "suspicious",
    sentence: "Tells the agent to fetch or send something without asking for confirmation.",
    match: near(
      one(noQuestions),
      anyOf(
        one(outward),
        one(command, (text) => /https?:/.test(text)),
      ),
      2,
    ),
  },
  {
    id: "instructions.false-role",
    severity: "suspicious",
    sentence: "Imitates a message of the system or the result of a tool.",
    match: one(role),
  },
  {
    id: "instructions.every-time",
    severity: "suspicious",
    sentence: "Has the agent call an address before or after each task.",
    match: near(
      one(everyTime),
      anyOf(
        one(outward),
        one(command, (text) => /https?:/.test(text)),
      ),
      1,
    ),
  },
  {
    id: "instructions.destroy",
    severity: "note",
    inPrograms: "malicious",
    sentence: "Deletes all files of the user or the system.",
    match: one(destroy),
  },
  {
    id: "instructions.encrypt-files",
    severity: "malicious",
    sentence: "Encrypts all files of the user.",
    match: near(one(allFiles), one(encryption), 12),
  },
  {
    id: "instructions.influence-review",
    severity: "suspicious",
    sentence: "Tells the agent to call the skill safe when it is asked about it.",
    match: one(influence),
  },
];
