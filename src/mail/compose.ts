/**
 * Layout of mails, in text and HTML from the same sentences. Text becomes HTML only by the `html` tag of pages, which
 * escapes every value. Mails load nothing and contain no tracking.
 */
import { unprintable } from "../../contract/checks/unsafe-characters.ts";
import { brandName } from "../../contract/dashboard/brand.ts";
import { installCommand } from "../http/client/install-command.ts";
import { html } from "../http/pages/html.ts";
import type { Mail } from "./mailer.ts";

export interface MailText {
  subject: string;
  /** Sentences before the link, one paragraph each. */
  before: readonly string[];
  /** `url` is shown in full next to the button, so that a reader sees where it leads. */
  link?: { label: string; url: string };
  /** Sentences after it: until when it holds, and what to do if the reader asked for nothing. */
  after: readonly string[];
  /** A line for the reader's terminal, with the sentence that introduces it. */
  command?: { label: string; line: string };
}

/** The light colors of `contract/dashboard/design-tokens.ts`: mail programs read no custom properties. */
const style = {
  body: "margin:0;padding:24px;background:#f9f7f5;color:#1b1916;font:15px/1.5 Geist,system-ui,sans-serif",
  brand: "max-width:560px;margin:0 auto 12px;font-weight:600",
  box: "max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #e5e4e1;border-radius:10px",
  link: "display:inline-block;padding:10px 18px;border-radius:6px;background:#1b1916;color:#ffffff;font-weight:500;text-decoration:none",
  command:
    "padding:10px;border-radius:6px;background:#f5f3f1;font:13px/1.5 monospace;white-space:pre-wrap;overflow-wrap:anywhere",
  small: "font-size:13px;color:#686560;overflow-wrap:anywhere",
};

/** A mail of one subject: the same words as text and as HTML. */
export function composeMail(baseUrl: string, text: MailText): Omit<Mail, "to"> {
  const { link, command } = text;
  const footer = `Sent by the skill registry at ${baseUrl}`;
  const paragraph = (line: string) => html`<p>${line}</p>`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${text.subject}</title>
      </head>
      <body style="${style.body}">
        <p style="${style.brand}">${brandName}</p>
        <div style="${style.box}">
          ${text.before.map(paragraph)}
          ${
            link &&
            html`<p><a style="${style.link}" href="${link.url}">${link.label}</a></p>
              <p style="${style.small}">${link.url}</p>`
          }
          ${text.after.map(paragraph)}
          ${
            command &&
            html`<p>${command.label}</p>
              <pre style="${style.command}">${command.line}</pre>`
          }
          <p style="${style.small}">${footer}</p>
        </div>
      </body>
    </html> `;
  const parts = [
    ...text.before,
    ...(link ? [`${link.label}:\n${link.url}`] : []),
    ...text.after,
    ...(command ? [`${command.label}\n${command.line}`] : []),
  ];
  return {
    subject: text.subject,
    text: `${parts.join("\n\n")}\n\n-- \n${footer}\n`,
    html: page.toString(),
  };
}

/** Instructions to install the client, for mails to new users. */
export function installHint(baseUrl: string): MailText["command"] {
  return {
    label: "To install skills from your terminal, install svc (it needs Node 20.19 or later):",
    line: installCommand(baseUrl),
  };
}

/** Characters of a name in a mail. */
const longestName = 60;

/** A name that a user has chosen, for a mail to someone else: in quotes, bounded, and nothing in it ends the quotes. */
export function quotedName(name: string): string {
  const characters = Array.from(
    inertName(name).replace(/["\u201c-\u201f\u2033\u2036\u00ab\u00bb\uff02]+/gu, "'"),
  );
  const isLong = characters.length > longestName;
  return `"${isLong ? `${characters.slice(0, longestName - 1).join("")}…` : characters.join("")}"`;
}

/**
 * One line without anything that a mail program turns into a link: the service must not send advertisements of others
 * under its own name.
 */
export function inertName(name: string): string {
  const line = name.normalize("NFC").replace(unprintable, " ").replace(/\s+/g, " ").trim();
  const isLinkLike = /:\/\/|@|[\p{L}\p{N}]\.\p{L}{2,}/u.test(line);
  return isLinkLike ? line.replace(/([.:/@])(?=\S)/g, "$1 ") : line;
}
