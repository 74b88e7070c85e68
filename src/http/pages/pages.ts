/** Server-rendered pages. Forms work in any browser, and a script only adds to a page that works without it. */
import { createHash, randomBytes } from "node:crypto";
import type { Context } from "koa";
import { brandIcon, brandName } from "../../../contract/dashboard/brand.ts";
import type { Actor } from "../../access/actor.ts";
import { respond } from "../respond.ts";
import type { RouteTable } from "../route-table.ts";
import { Reply, type Cookie, type Route } from "../route.ts";
import { pagePolicy, scriptedPolicy } from "../service/security.ts";
import { html, type Html } from "./html.ts";
import { pageStyle } from "./page-style.ts";

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Paths of the style sheet and the icon. They change with the content, so that it can be cached permanently. */
export const stylePath = `/assets/pages-${hashOf(pageStyle)}.css`;
export const iconPath = `/assets/icon-${hashOf(brandIcon)}.svg`;

export const styleReply = () => assetReply(pageStyle, "text/css; charset=utf-8");
export const iconReply = () => assetReply(brandIcon, "image/svg+xml");

function assetReply(content: string, type: string): Reply {
  return new Reply(content, { type, headers: { "cache-control": "public, max-age=31536000, immutable" } });
}

export interface PageContent {
  title: string;
  /** Name of the signed-in user. */
  signedInAs?: string;
  body: Html;
  /** An inline script; the page works without it. */
  script?: Html;
  /** Two columns rather than one narrow one. */
  isWide?: boolean;
  /** Whether search engines may list the page. Default: yes. */
  isIndexed?: boolean;
}

export interface PageOptions {
  status?: number;
  cookies?: Cookie[];
  headers?: Record<string, string>;
}

/** A complete page. It can't be cached or framed, and only its own script runs in it. */
export function pageReply(content: PageContent, options: PageOptions = {}): Reply {
  const nonce = content.script === undefined ? undefined : randomBytes(18).toString("base64");
  return new Reply(layout(content, nonce).toString(), {
    ...options,
    type: "text/html; charset=utf-8",
    headers: {
      "content-security-policy": nonce ? scriptedPolicy(nonce) : pagePolicy,
      "cache-control": "no-store",
      ...options.headers,
    },
  });
}

/** A page whose header names the signed-in user. */
export function actorPage(
  actor: Actor,
  content: Pick<PageContent, "title" | "body" | "script">,
  options?: PageOptions,
): Reply {
  return pageReply({ ...content, signedInAs: actor.kind === "user" ? actor.username : undefined }, options);
}

/** A page that opens an address by GET, also in browsers without script. */
export const openingPage = (content: PageContent, address: string): Reply =>
  pageReply(content, { headers: { refresh: `0; url=${address}` } });

/** Redirects the browser to a path of this service, by GET. */
export function redirectReply(path: string, { cookies, headers }: Omit<PageOptions, "status"> = {}): Reply {
  return new Reply("", {
    status: 303,
    headers: { location: path, "cache-control": "no-store", ...headers },
    cookies: cookies ?? [],
  });
}

/**
 * Replaces a redirect by a page that opens its address, if a redirect could leave the origin there: one to a route that
 * `leavesOrigin`, or by a route that was not declared as such. Chromium applies the `form-action` policy of a page to
 * all redirects that follow its form, and blocks the one that leaves the origin without a message.
 */
export function openByPage(ctx: Context, declared: Route, table: RouteTable): void {
  if (ctx.status !== 303) return;
  const address = ctx.response.get("location");
  const isRisky = address.startsWith("/") ? leavesOrigin(address, table) : !declared.leavesOrigin;
  if (!isRisky) return;
  ctx.remove("location");
  const body = html`<p>You are being redirected. If nothing happens, use the button.</p>
    <p><a class="button" href="${address}">Continue</a></p>`;
  respond(ctx, declared, openingPage({ title: "Redirecting", body, isIndexed: false }, address));
}

function leavesOrigin(path: string, table: RouteTable): boolean {
  const found = table.find("GET", new URL(path, "http://own.invalid").pathname);
  return "declared" in found && found.declared.leavesOrigin === true;
}

function layout(content: PageContent, nonce: string | undefined): Html {
  const { title, signedInAs, body, script, isWide, isIndexed = true } = content;
  const layoutClass = isWide ? "wide" : "narrow";
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${!isIndexed && html`<meta name="robots" content="noindex" />`}
        <title>${title} · ${brandName}</title>
        <link rel="icon" type="image/svg+xml" href="${iconPath}" />
        <link rel="stylesheet" href="${stylePath}" />
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header>
          <a class="home" href="/"
            ><img src="${iconPath}" width="20" height="20" alt="" /><span>${brandName}</span></a
          >
          ${accountOf(signedInAs, /(href|action)="[/]sign-in/.test(body.toString()))}
        </header>
        <main id="main" class="${layoutClass}">
          <div class="box">
            <h1>${title}</h1>
            ${body}
          </div>
        </main>
        <footer><a href="/explore">Explore public skills</a><a href="/docs">API</a></footer>
        ${
          script !== undefined &&
          html`<script type="module" nonce="${nonce}">
            ${script};
          </script>`
        }
      </body>
    </html> `;
}

/** The signed-in user with the button that signs out, or a link to the sign-in unless the page itself has one. */
function accountOf(signedInAs: string | undefined, hasSignIn: boolean): Html | false {
  if (signedInAs === undefined && hasSignIn) return false;
  return html`<nav aria-label="Account">
    ${
      signedInAs === undefined
        ? html`<a href="/sign-in">Sign in</a>`
        : html`<span>Signed in as <bdi>${signedInAs}</bdi></span>
            <form method="post" action="/sign-out" enctype="multipart/form-data">
              <input type="hidden" name="confirm" value="yes" /><button class="plain">Sign out</button>
            </form>`
    }
  </nav>`;
}
