/** Reads of credentials, environment or private data together with a way out. */
import { dropHosts, dropHostWords, hostKindIn } from "../hosts.ts";
import { anyOf, near, one, sequence, signal } from "../matchers.ts";
import type { TextRule, TogetherRule } from "../scan-rule.ts";
import { pathWords, secretPath } from "./secret-paths.ts";

/** A command, call or verb that takes the content of such a file; options that name a key to log in with do not. */
const readSecret = signal(
  pathWords,
  new RegExp(
    String.raw`(?:\b(?:cat|head|tail|less|more|base64|xxd|gzip|tar|zip|cp|strings|grep|awk|sed|type|Get-Content|gc|openssl|find|ls|copy|sqlite3)\s[^\n]{0,160}?|\b(?:open|readFile(?:Sync)?|read_text|read_bytes|read|readlines|Path|join|expanduser|copy2?|copyfile|copytree|glob|rglob|connect|load)\(?[^\n]{0,120}?|[@<]\s{0,2}["']?|\b(?:read|collect|gather|upload|send|post|copy|include|steal|extract|exfiltrate|attach|take|contents?\s{1,3}of|inhalt\s{1,3}von|contenu\s{1,3}de|contenido\s{1,3}de|transmit|forward|submit|dump)\s[^\n]{0,100}?|=\s{0,4}["'(]?[^\n=]{0,60}?)${secretPath}`,
    "gi",
  ),
);
const secretsOfSystem = signal(
  [
    "security find",
    "security dump",
    "get-secret-value",
    "keychain",
    "cmdkey",
    "vaultcmd",
    "browser_cookie3",
    "cryptunprotect",
    "lazagne",
  ],
  /\bsecurity\s{1,4}(?:find-(?:generic|internet)-password|dump-keychain)\b[^\n]{0,100}/gi,
  /\blogin\.keychain(?:-db)?\b|\bcmdkey\s{1,3}\/list|\bvaultcmd\b|\bbrowser_cookie3\.\w/gi,
  /\bCryptUnprotectData\b|\blazagne\b/gi,
);
/** All variables of the environment rather than one. */
const environment = signal(
  [
    "printenv",
    "env |",
    "env|",
    "env >",
    "env>",
    "env  ",
    "env)",
    "env )",
    "rocess.env",
    "os.environ",
    "/environ",
    "env:",
    "export -p",
    "declare -x",
    "env.to_",
    "getenv",
  ],
  /\bprintenv\b(?!\s{1,4}\w)(?!\s{0,4}\|\s{0,4}(?:grep|sort|less|cut|awk|wc|head))/gim,
  /\benv(?<=(?:^|[;&|(`]\s{0,4}|\bthen\s|\bdo\s)env)\s{0,4}(?:\|(?!\s{0,4}(?:\||grep|sort|less|cut|awk|sed|wc|head))|>{1,2}\s{0,4}[\w/$"'~])/gim,
  /\$\(\s{0,4}env\s{0,4}[)|]/gim,
  /JSON\.stringify\(\s{0,4}(?:\{\s{0,3}\.\.\.)?process\.env\s{0,4}[,})]/gim,
  /(?<![.\w])(?:dict|str|repr|list|json\.dumps)\(\s{0,4}(?:dict\(\s{0,4})?os\.environ\s{0,3}[),]/gim,
  /os\.environ\.(?:items|values)\(/gim,
  /\b(?:data|json|params|content)\s{0,3}=\s{0,3}(?:dict\()?os\.environ\b(?![.[])/gim,
  /\b(?:Get-ChildItem|gci|dir|ls)\s{1,4}env:|\bexport\s{1,4}-p\b/gim,
  /\bdeclare\s{1,4}-x\s{0,4}\|/gim,
  /Object\.(?:entries|assign|values)\(\s{0,4}(?:\{\}\s{0,3},\s{0,3})?process\.env\b/gim,
  /body\s{0,3}:\s{0,3}process\.env|\bENV\.to_(?:h|a|json)\b|\bSystem\.getenv\(\s{0,3}\)/gim,
  /\bos\.Environ\(\)|\/proc\/(?:self|\d{1,6}|\*|\$\w{1,8})\/environ/gim,
);
export const send = signal(
  [
    "curl",
    "wget",
    "requests.",
    "httpx.",
    "fetch(",
    "axios",
    "urlopen",
    "invoke-",
    "http.request",
    "https.request",
    "nc ",
    "ncat",
    "netcat",
    "scp ",
    "rsync ",
    "/dev/tcp/",
    "http.client",
    "xmlhttprequest",
    "sendbeacon",
    "aiohttp",
    "socket",
    "smtplib",
    "net::http",
    "got.post",
    "ftp ",
    "uploadstring",
    "uploaddata",
    "webclient",
    "request.post",
    "rclone",
    "aws s3 cp",
    "gsutil",
  ],
  /\bcurl(?:\.exe)?(?=\s)[^\n`]{0,400}?(?:\s(?:-d|-F|-T|-X\s{0,3}P(?:OST|UT)|--data(?:-\w{1,10})?|--json|--form|--upload-file|--request\s{1,3}P(?:OST|UT))\b|\?[\w-]{1,30}=["']?\$|\$\()/gim,
  /\bwget(?=\s)[^\n]{0,300}?\s(?:--post-(?:data|file)|--body-(?:data|file)|\?[\w-]{1,30}=["']?\$|\$\()/gim,
  /\b(?:requests|httpx|session|client|aiohttp)\.(?:post|put|request)\(/gim,
  /\b(?:requests|httpx)\.get\([^\n]{0,160}(?:params\s{0,3}=|f["'])/gim,
  /\bfetch\([^\n]{0,300}?(?:method|\$\{|\+)|\bsendBeacon\(/gim,
  /\baxios(?:\.(?:post|put)\(|\(\s{0,4}\{)|\bgot\.post\(/gim,
  /\burlopen\([^\n]{0,200}(?:data\b|["']\s{0,3}[+%]|\{\w)|\burllib\.request\.Request\(/gim,
  /\b(?:Invoke-RestMethod|Invoke-WebRequest|irm|iwr)\b[^\n]{0,300}?-(?:Body|InFile)\b/gim,
  /\.Upload(?:String|Data|File)\(|\bhttps?\.request\(|\bhttp\.client\.\w{4,16}\(/gim,
  /\bXMLHttpRequest\b/gim,
  /(?:^|[|;&\s`(])(?:nc|ncat|netcat)(?:\.\w{1,12})?\s{1,4}(?:-[\w]{1,6}\s{1,4}(?:\d{1,4}\s{1,4})?){0,3}[\w.-]{4,120}\s{1,4}\d{2,5}\b/gim,
  />\s{0,4}\/dev\/tcp\/|\bscp\s[^\n]{1,200}\s[\w.-]{1,60}@[\w.-]{1,120}:/gim,
  /\brsync\s[^\n]{1,200}\s(?:[\w.-]{1,60}@)?[\w.-]{1,120}::?[\w~/]|\bsmtplib\.SMTP/gim,
  /\bNet::HTTP(?:\.post|::Post)|\bsocket\.(?:create_connection|connect|sendall)\(/gim,
  /\brclone\s{1,3}copy\s/gim,
);
const anyRequest = signal(
  [
    "curl",
    "wget",
    "requests.",
    "httpx.",
    "fetch(",
    "axios",
    "urlopen",
    "invoke-",
    "http.request",
    "https.request",
    "nc ",
    "dig ",
    "nslookup",
  ],
  /\b(?:curl|wget)\s|\b(?:requests|httpx|axios)\.\w{3,7}\(|\bfetch\(|\burlopen\(/gi,
  /\bInvoke-\w{3,4}\w{3,7}\b|\bhttps?\.request\(/gi,
);
export const dropHost = signal(dropHostWords, dropHosts);
/** Output of a command or a variable within a looked-up name. */
const dnsQuery = signal(
  [
    "dig ",
    "nslookup",
    "host ",
    "ping ",
    "resolve-dnsname",
    "getaddrinfo",
    "gethostbyname",
    "dns.resolve",
    "dns.lookup",
  ],
  /\b(?:dig|nslookup|host|ping)\s[^\n]{0,60}?["']?(?:\$\([^\n]{2,200}\)|`[^`\n]{2,200}`|\$\{?\w{1,30}\}?)\.[\w${}-]{1,63}\.[a-z]/gi,
  /\bResolve-DnsName\s[^\n]{0,60}\$[^\n]{0,100}\.[a-z]/gi,
  /\b(?:getaddrinfo|gethostbyname|dns\.(?:resolve|lookup)\w{0,6})\(\s{0,4}(?:f["'][^"'\n]{0,60}\{[^}\n]{1,60}\}\.[\w.-]{3,}|`[^`\n]{0,60}\$\{[^}\n]{1,80}\}\.[\w.-]{3,}|\w{1,30}\s{0,3}\+\s{0,3}["']\.[\w.-]{3,})/gi,
);
const identity =
  /\$\(|`|base64|hexlify|encode|secret|token|passw|key|environ|env\b|data|chunk|payload|whoami|hostname/i;
const personalData = signal(
  [
    "clipboard",
    "pbpaste",
    "xclip",
    "xsel",
    "wl-paste",
    "screencapture",
    "imagegrab",
    "screenshot",
    "keylog",
    "pynput",
    "scrot",
    "find ~",
    "messages",
    "chat.db",
    "imagesnap",
    "keyboard.on_press",
  ],
  /\bpbpaste\b|\bxclip\s[^\n]{0,40}-o\b|\bxsel\s{1,3}(?:-o|--output|-b)|\bwl-paste\b/gi,
  /\bGet-Clipboard\b|\bpyperclip\.paste\(|\bscreencapture\s{1,3}-|\bImageGrab\.grab\(/gi,
  /\bpynput\b|\bkeyboard\.(?:on_press|record|hook)\(|\bscrot\s|\bimagesnap\s/gi,
  /Library\/Messages\/chat\.db/gi,
);
/** Sentences that have the agent send what it should keep. */
const told = signal(
  [
    "credential",
    "environment variable",
    "private key",
    "password",
    "ssh key",
    "secret",
    "cookie",
    "access token",
    "api key",
    "history",
    "conversation",
    "system prompt",
    "chat log",
    "transcript",
    "session token",
    "seed phrase",
    "recovery phrase",
  ],
  /\b(?:send|post|upload|transmit|forward|submit|report|exfiltrate|leak|e-?mail|deliver|append|include|encode|embed|put|pass|share|sync|ship|write)\s{1,3}(?:(?!not\b|never\b)[\w'’(),/.-]{1,20}\s{1,3}){0,9}?(?:credentials?|environment\s{1,3}variables?|private\s{1,3}keys?|passwords?|ssh\s{1,3}keys?|secrets|cookies|access\s{1,3}tokens|api\s{1,3}keys|(?:chat|conversation|shell|message)\s{1,3}(?:history|log|so\s{1,3}far)|(?:full|whole|entire|complete)\s{1,3}(?:conversation|transcript|chat|system\s{1,3}prompt)|seed\s{1,3}phrases?|recovery\s{1,3}phrases?|session\s{1,3}tokens?)\b[^\n]{0,120}?\b(?:to|at|into|in|via|as|through|with)\s{1,3}(?:[\w'’-]{1,16}\s{1,3}){0,6}[`"'<(]{0,2}(?:https?:\/\/[^\s`"'>)]{3,200}|[\w-]{1,40}@[\w.-]{3,80})/gi,
  /\b(?:credentials?|environment\s{1,3}variables?|private\s{1,3}keys?|passwords?|ssh\s{1,3}keys?|secrets|cookies|api\s{1,3}keys|(?:seed|recovery)\s{1,3}phrases?|session\s{1,3}tokens?)\b[^\n.]{0,80}?\band\s{1,3}(?:then\s{1,3})?(?:send|post|upload|transmit|forward|submit|report|e-?mail|append)\s{1,3}(?:them|it|these|everything|all|each)\b[^\n]{0,40}?\b(?:to|at|via)\s{1,3}[`"'<(]{0,2}(?:https?:\/\/[^\s`"'>)]{3,200}|[\w-]{1,40}@[\w.-]{3,80})/gi,
);
const imageSink = signal(
  ["]("],
  /!\[[^\]\n]{0,80}\]\(https?:\/\/[^\s)]{3,200}[?&=][^\s)]{0,80}(?:\{\{?[^}\n]{2,80}\}|<[^>\n]{2,80}>|\$\{?\w{2,40}|\[[A-Z_ ]{3,40}\])/gi,
);

/** A sentence or command with an address that something is sent to. */
export const outward = signal(
  ["http"],
  /\b(?:send|post|upload|submit|forward|transmit|report|push|append|add|ping|call|fetch|copy|include|put|sende|schicke|envoie|env[ií]a|invia)\b[^\n]{0,160}https?:\/\/[^\s`"'>)]{3,200}/gi,
);
/** A file of variables as the body of a request. */
const sendsVariables = signal(
  [".env"],
  /\bcurl(?=\s)[^\n]{0,300}?\s(?:-d|-F|-T|--data(?:-\w{1,10})?|--form|--upload-file)[\s=]{0,3}[^\n]{0,60}?(?:@|\$\(\s{0,3}(?:cat|base64)\s[^)\n]{0,60}?|\s)[\w~/.$-]{0,60}\.env\b(?!\.(?:example|sample))/gi,
  /\bcurl(?=\s)[^\n]{0,300}?\$\(\s{0,3}(?:cat|base64)\s[^)\n]{0,60}\.env\b/gi,
  /\.(?:post|put|request)\([^\n]{0,240}(?:open\(|readFile|read_text|Path\()[^\n]{0,120}\.env\b/gi,
);

const sends = one(send);
/** `KEY=$(cat file)` in a header authenticates; it is not what is sent. */
const localOnly = (text: string) => hostKindIn(text) === "local";
const isDocumentation =
  /https?:\/\/(?:docs?|developers?|learn|help|support|www|wiki)\.|github\.com|\/docs?\//i;
const readsSecret = anyOf(
  one(
    readSecret,
    (text) =>
      !/(?:-i|-o\s{1,3}IdentityFile=?|--kubeconfig|KUBECONFIG|IdentityFile|ssh-add|ssh-keygen|chmod|chown|--key|--identity|\.dockerconfigjson|-f\s{1,3}docker)[\s=]/i.test(
        text,
      ),
  ),
  one(secretsOfSystem),
);

export const exfiltrationRules: readonly TextRule[] = [
  {
    id: "exfiltration.credentials",
    severity: "malicious",
    sentence: "Reads a file with credentials and sends data to another machine.",
    match: anyOf(
      near(
        readsSecret,
        anyOf(
          one(send, (text) => !localOnly(text)),
          one(dropHost),
        ),
        10,
      ),
      near(
        readsSecret,
        one(outward, (text) => !localOnly(text) && !isDocumentation.test(text)),
        2,
      ),
      one(sendsVariables, (text) => !localOnly(text)),
    ),
  },
  {
    id: "exfiltration.environment",
    severity: "malicious",
    sentence: "Sends all environment variables, which include passwords and tokens, to another machine.",
    match: near(
      one(environment),
      anyOf(
        one(send, (text) => !localOnly(text)),
        one(dropHost),
      ),
      8,
    ),
  },
  {
    id: "exfiltration.personal-data",
    severity: "suspicious",
    sentence: "Reads the clipboard, the screen, the keyboard or messages, and sends data to another machine.",
    match: near(one(personalData), anyOf(sends, one(dropHost)), 12),
  },
  {
    id: "exfiltration.name-lookup",
    severity: "suspicious",
    inPrograms: "malicious",
    sentence: "Puts data into names that it looks up, which passes it to the owner of the domain.",
    match: one(dnsQuery, (text) => identity.test(text)),
  },
  {
    id: "exfiltration.collector",
    severity: "note",
    sentence: "Names a service that shows all requests to it, a tunnel or a chat's webhook.",
    match: one(dropHost),
  },
  {
    id: "exfiltration.told-to-send",
    severity: "malicious",
    sentence: "Has the agent send credentials or the conversation to an address.",
    match: one(
      told,
      (text) =>
        !/[a-z0-9._-]{1,40}@(?:users\.noreply|example)\./i.test(text) &&
        !/\b(?:header|authorization|vault|secret manager|1password|keychain)\b/i.test(text),
    ),
  },
  {
    id: "exfiltration.image-address",
    severity: "suspicious",
    sentence: "Has a picture whose address takes data of the conversation.",
    match: one(
      imageSink,
      (text) =>
        !/shields\.io|badge|localhost|github\.com\/|githubusercontent|star-history|contrib\.rocks/i.test(
          text,
        ),
    ),
  },
];

const reads = anyOf(readsSecret, one(environment));

/** Combinations at any distance, so that blank lines or a second file don't separate what belongs together. */
export const exfiltrationTogether: readonly TogetherRule[] = [
  {
    id: "exfiltration.credentials-and-collector",
    severity: "malicious",
    sentence: "Reads credentials, and names a service that collects requests.",
    together: [reads, one(dropHost)],
    within: "file",
  },
  {
    id: "exfiltration.credentials-in-program",
    severity: "suspicious",
    sentence: "A program reads credentials and sends data to another machine.",
    together: [reads, sends],
    within: "file",
  },
  {
    id: "exfiltration.credentials-across-files",
    severity: "suspicious",
    sentence: "One program of the skill reads credentials, and another one sends data to another machine.",
    together: [reads, anyOf(sends, one(dropHost), sequence(anyRequest, dropHost, 300))],
    within: "skill",
  },
];
