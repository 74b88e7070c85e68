/**
 * Pictures for previews of links, of public skills and organizations. They are drawn in the threads for costly content
 * as one caller, so that any number of them delays only other pictures, and kept by their texts.
 */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { toOneLine } from "../../../contract/checks/unsafe-characters.ts";
import { SingleFlight } from "../../../contract/concurrency/single-flight.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { App } from "../../app.ts";
import type { Card } from "../../compute/pieces/card/draw-card.ts";
import { ServiceError } from "../../errors.ts";
import { showHidden } from "../../http/pages/show-hidden.ts";
import { perApp } from "../../per-app.ts";

/** Increases with each change of how cards are drawn. */
const revision = 1;
const keptBytes = 16 * 1024 * 1024;
/** Not a key of `actorKey`. */
const caller = "pictures";

interface Cards {
  kept: LRUCache<string, Buffer>;
  drawing: SingleFlight<Buffer>;
}

const cardsOf = perApp<Cards>(() => ({
  kept: new LRUCache({ maxSize: keptBytes, sizeCalculation: ({ length }) => length + 100 }),
  drawing: new SingleFlight(Infinity),
}));

export function skillCard(app: App, { tenantSlug, slug, description, current }: SkillDoc): Card {
  return cardOf(app, {
    label: tenantSlug,
    title: slug,
    text: description,
    facts: `v${current.semver}  ·  svc install ${tenantSlug}/${slug}`,
  });
}

export function organizationCard(
  app: App,
  { slug, name, description }: { slug: string; name: string; description: string },
): Card {
  return cardOf(app, {
    label: slug,
    title: name,
    text: description === "" ? `Agent skills of ${name}.` : description,
    facts: "Public agent skills",
  });
}

const cardOf = (app: App, { label, title, text, facts }: Omit<Card, "service">): Card => ({
  label,
  title: lineOf(title),
  text: lineOf(text),
  facts,
  service: new URL(app.config.baseUrl).host,
});

const lineOf = (text: string) => showHidden(toOneLine(text));

/** The tag of a card: cards with the same tag have the same bytes. */
export const tagOfCard = (card: Card): string =>
  createHash("sha256")
    .update(JSON.stringify([revision, card]))
    .digest("hex")
    .slice(0, 32);

/** The picture as PNG. Throws `unavailable` if too many are being drawn. */
export async function drawCard(app: App, card: Card): Promise<Buffer> {
  const { kept, drawing } = cardsOf(app);
  const tag = tagOfCard(card);
  const known = kept.get(tag);
  if (known) return known;
  return drawing.run(tag, async () => {
    const made = Buffer.from(await run(app, card));
    kept.set(tag, made);
    return made;
  });
}

async function run(app: App, card: Card): Promise<Uint8Array> {
  try {
    return await app.compute.by(caller).run("draw-card", card);
  } catch (error) {
    // The limit is one of all pictures together.
    if (!(error instanceof ServiceError) || error.code !== "rate_limited") throw error;
    const message = "Too many pictures are being drawn. Try again in a few seconds.";
    throw new ServiceError("unavailable", message, { retryAfterSeconds: 2 }, { cause: error });
  }
}
