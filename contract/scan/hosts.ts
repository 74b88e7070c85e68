/** Kinds of hosts in addresses, by which rules decide how much trust a download deserves. */

export type HostKind =
  /** This machine, a private network, or a name that stands for one in documentation. */
  | "local"
  /** Publishers of installers that many projects use. */
  | "known"
  /** Hosts without a known owner: bare addresses, shorteners, sites for pasted texts, tunnels. */
  | "untraceable"
  | "unknown";

/** Installers that are documented to be piped into a shell; suffixes of host names with a path, if it matters. */
const known: readonly string[] = [
  "astral.sh",
  "dl.cloudsmith.io",
  "run.linkerd.io",
  "fluxcd.io",
  "istio.io",
  "get.k0s.sh",
  "releases.hashicorp.com",
  "get.docker.com",
  "sh.rustup.rs",
  "static.rust-lang.org",
  "bun.sh",
  "bun.com",
  "deno.land",
  "get.pnpm.io",
  "install.python-poetry.org",
  "get.sdkman.io",
  "raw.githubusercontent.com/homebrew/",
  "raw.githubusercontent.com/nvm-sh/",
  "raw.githubusercontent.com/pyenv/",
  "raw.githubusercontent.com/ohmyzsh/",
  "raw.githubusercontent.com/helm/",
  "raw.githubusercontent.com/rancher/",
  "get.helm.sh",
  "starship.rs",
  "mise.run",
  "mise.jdx.dev",
  "fnm.vercel.app",
  "volta.sh",
  "get.volta.sh",
  "fly.io",
  "cli.github.com",
  "aka.ms",
  "dot.net",
  "dotnet.microsoft.com",
  "ollama.com",
  "sdk.cloud.google.com",
  "awscli.amazonaws.com",
  "get.k3s.io",
  "claude.ai",
  "cursor.com",
  "opencode.ai",
  "gh.io",
  "nixos.org",
  "install.determinate.systems",
  "deb.nodesource.com",
  "rpm.nodesource.com",
  "dl.k8s.io",
  "just.systems",
  "get.opentofu.org",
  "pkgx.sh",
  "tailscale.com",
  "get.chezmoi.io",
  "get.haskellup.org",
  "get-ghcup.haskell.org",
  "raw.github.com/nvm-sh/",
  "dl.yarnpkg.com",
  "bootstrap.pypa.io",
  "pixi.sh",
  "micro.mamba.pm",
  "foundry.paradigm.xyz",
  "install.duckdb.org",
  "golang.org",
  "go.dev",
  "cli.doppler.com",
  "cli.run.pivotal.io",
  "get.pulumi.com",
  "zed.dev",
  "aspire.dev",
  "atuin.sh",
  "setup.atuin.sh",
  "prefix.dev",
  "code-server.dev",
  "supabase.com",
  "raw.githubusercontent.com/golangci/",
  "raw.githubusercontent.com/anchore/",
  "raw.githubusercontent.com/aquasecurity/",
  "chocolatey.org",
  "community.chocolatey.org",
  "get.scoop.sh",
  "install.meteor.com",
  "sh.keptn.sh",
  "cdn.skypack.dev",
];

const untraceable: readonly string[] = [
  "bit.ly",
  "tinyurl.com",
  "t.co",
  "goo.gl",
  "is.gd",
  "ow.ly",
  "cutt.ly",
  "rebrand.ly",
  "shorturl.at",
  "rb.gy",
  "t.ly",
  "tiny.cc",
  "v.gd",
  "s.id",
  "shorte.st",
  "adf.ly",
  "lnkd.in",
  "buff.ly",
  "bl.ink",
  "pastebin.com",
  "paste.ee",
  "hastebin.com",
  "ghostbin.com",
  "rentry.co",
  "rentry.org",
  "dpaste.com",
  "dpaste.org",
  "termbin.com",
  "ix.io",
  "sprunge.us",
  "0x0.st",
  "controlc.com",
  "paste.rs",
  "p.ip.fi",
  "glot.io",
  "pastie.org",
  "transfer.sh",
  "file.io",
  "temp.sh",
  "catbox.moe",
  "gofile.io",
  "bashupload.com",
  "oshi.at",
  "anonfiles.com",
  "ngrok.io",
  "ngrok.app",
  "ngrok-free.app",
  "ngrok-free.dev",
  "trycloudflare.com",
  "loca.lt",
  "serveo.net",
  "localhost.run",
  "lhr.life",
  "pinggy.link",
  "duckdns.org",
  "no-ip.org",
  "ddns.net",
  "hopto.org",
  "zapto.org",
  "cdn.discordapp.com",
  "media.discordapp.net",
  "onion",
  "onion.ly",
  "i2p",
];

/** Where data is collected without an account that belongs to anyone: services that show all requests, and chats. */
export const dropHosts =
  /\b(?:webhook\.site|requestbin\.(?:com|net)|requestcatcher\.com|pipedream\.net|m\.pipedream\.net|beeceptor\.com|hookbin\.com|mockbin\.org|requestinspector\.com|webhookinbox\.com|oast\.(?:pro|live|site|online|fun|me)|interact\.sh|interactsh\.com|burpcollaborator\.net|oastify\.com|dnslog\.cn|ceye\.io|canarytokens\.com|transfer\.sh|file\.io|termbin\.com|0x0\.st|temp\.sh|bashupload\.com|gofile\.io|ngrok\.io|ngrok\.app|ngrok-free\.app|trycloudflare\.com|loca\.lt|serveo\.net|discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks|api\.telegram\.org\/bot|hooks\.zapier\.com|maker\.ifttt\.com|pastebin\.com\/api)\b/gi;

/** Files of a release, or of a commit or tag, of a repository that its owner answers for. */
const pinned =
  /^(?:github\.com\/[^/]{1,100}\/[^/]{1,100}\/releases\/|raw\.githubusercontent\.com\/[^/]{1,100}\/[^/]{1,100}\/(?:[\da-f]{40}|(?:refs\/tags\/)?v?\d{1,5}\.\d{1,5}[\w.-]{0,20})\/)/;
/** One of these is in each match, in lower case. */
export const dropHostWords: readonly string[] = [
  "webhook.site",
  "requestbin.",
  "requestcatcher.com",
  "pipedream.net",
  "beeceptor.com",
  "hookbin.com",
  "mockbin.org",
  "requestinspector.com",
  "webhookinbox.com",
  "oast.",
  "interact.sh",
  "interactsh.com",
  "burpcollaborator",
  "oastify.com",
  "dnslog.cn",
  "ceye.io",
  "canarytokens.com",
  "transfer.sh",
  "file.io",
  "termbin.com",
  "0x0.st",
  "temp.sh",
  "bashupload.com",
  "gofile.io",
  "ngrok.",
  "ngrok-free",
  "trycloudflare.com",
  "loca.lt",
  "serveo.net",
  "/webhooks",
  "telegram.org",
  "zapier.com",
  "ifttt.com",
  "pastebin.com",
];
const local =
  /^(?:(?:[\w.-]{1,60}\.)?(?:attacker|evil|malicious)[\w-]{0,12}\.(?:com|net|org|io)|localhost|.*\.(?:localhost|local|internal|example)|(?:.*\.)?example\.(?:com|org|net)|host\.docker\.internal|0\.0\.0\.0|127\.[\d.]+|10\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|\[?::1\]?|(?:your|my)[-.].*|<.*|\$.*|\{.*)$/i;
const address = /^(?:\d{1,3}(?:\.\d{1,3}){3}|0x[\da-f]{8}|\d{8,10}|\[[\da-f:.]+\])$/i;

const urls = /\b(?:https?|ftp):\/\/([^\s"'`<>()|\\]{1,400})/gi;
/** `curl get.example.dev/x`: a name with a path, without a scheme. */
const bareUrl = /\s((?:[\w-]{1,63}\.){1,5}[a-z]{2,10}\/[^\s"'`<>()|\\]{0,200})/gi;

/** The least trustworthy kind of the hosts in a text; undefined if it has no address. */
export function hostKindIn(text: string): HostKind | undefined {
  const found = [...text.matchAll(urls), ...text.matchAll(bareUrl)].map((match) => hostKind(match[1]!));
  const order: readonly HostKind[] = ["untraceable", "unknown", "known", "local"];
  return order.find((kind) => found.includes(kind));
}

function hostKind(rest: string): HostKind {
  const lower = rest.toLowerCase().replace(/^[^/@]{0,100}@/, "");
  const host = lower.replace(/[/?#].*$/s, "").replace(/:[^:\]]{0,60}$/, "");
  if (local.test(host)) return "local";
  if (address.test(host)) return "untraceable";
  if (untraceable.some((one) => host === one || host.endsWith(`.${one}`))) return "untraceable";
  if (pinned.test(lower)) return "known";
  const isKnown = known.some((one) => {
    const [name, path] = [one.replace(/\/.*$/, ""), one.includes("/") ? one : undefined];
    if (path !== undefined) return lower.startsWith(path);
    return host === name || host.endsWith(`.${name}`);
  });
  return isKnown ? "known" : "unknown";
}
