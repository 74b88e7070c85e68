/** Bodies of messages: the JSON of Standard Webhooks, and the forms of incoming webhooks of chats. */
import { webhookEventTitles, type WebhookKind } from "../../contract/events/webhook-events.ts";
import type { WebhookMessageDoc } from "../../storage/webhooks/messages.ts";

/** The id by which a receiver recognizes a repeated message. */
export const messageId = ({ eventId }: Pick<WebhookMessageDoc, "eventId">) => `msg_${eventId}`;

type Message = Pick<WebhookMessageDoc, "type" | "at" | "data">;

/** The body of a message, which is the same in repetitions. */
export const bodyOf = (kind: WebhookKind, message: Message): string => JSON.stringify(forms[kind](message));

const forms: Record<WebhookKind, (message: Message) => object> = {
  standard: ({ type, at, data }) => ({ type, timestamp: at.toISOString(), data }),
  // Nothing in the text of a message can mention people or become a link.
  slack(message) {
    const { title, facts, url } = chatParts(message);
    const rest = facts.map(({ label, value }) => `${label}: ${slackCode(value)}`);
    const text = [`*${slackText(title)}*`, ...rest, `<${slackText(url)}|Open>`].join("\n");
    return { text, parse: "none", unfurl_links: false, unfurl_media: false };
  },
  teams(message) {
    const { title, facts, url } = chatParts(message);
    // Runs of text are not Markdown, as text blocks are.
    const line = (inlines: object[]) => ({ type: "RichTextBlock", inlines });
    const body = [
      line([{ type: "TextRun", text: title, weight: "Bolder", size: "Medium" }]),
      ...facts.map(({ label, value }) =>
        line([
          { type: "TextRun", text: `${label}: `, isSubtle: true },
          { type: "TextRun", text: value },
        ]),
      ),
    ];
    const content = {
      $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
      type: "AdaptiveCard",
      version: "1.4",
      body,
      actions: [{ type: "Action.OpenUrl", title: "Open", url }],
    };
    const contentType = "application/vnd.microsoft.card.adaptive";
    return { type: "message", attachments: [{ contentType, contentUrl: null, content }] };
  },
};

interface ChatParts {
  title: string;
  facts: { label: string; value: string }[];
  url: string;
}

function chatParts({ type, data }: Message): ChatParts {
  const { organization, resource, version, actor, facts, url } = data;
  const all: Record<string, string | number | undefined> = {
    organization: organization.slug,
    name: resource?.name,
    version,
    by: actor.name,
    ...facts,
  };
  return {
    title: webhookEventTitles[type],
    facts: Object.entries(all).flatMap(([label, value]) =>
      value === undefined ? [] : [{ label, value: String(value) }],
    ),
    url,
  };
}

const slackText = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
/** Text in which nothing is recognized. */
const slackCode = (text: string) => `\`${slackText(text.replaceAll("`", "'").replace(/\s+/g, " "))}\``;
