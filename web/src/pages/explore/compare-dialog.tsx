import { Modal } from "@mantine/core";
import { countText } from "../../../../contract/text/count-text.ts";
import { estimateTokens } from "../../../../contract/text/estimate-tokens.ts";
import type { SearchHit } from "../../api/search.ts";
import { ButtonLink } from "../../parts/button-link.tsx";
import { MarkedText } from "../../parts/text/marked-text.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";

interface Props {
  /** The query for which they compete, if they do. */
  query: string | undefined;
  hits: readonly [SearchHit, SearchHit];
  onClose: () => void;
}

/** The descriptions of two skills side by side: agents choose between them by these. */
export function CompareDialog({ query, hits, onClose }: Props) {
  const [first, second] = hits;
  const shared = sharedWords(first.skill.description, second.skill.description);
  return (
    <Modal opened onClose={onClose} size="xl" title="Two descriptions compared">
      <div className="stack gap-4">
        <p className="sub">
          {query && <>Both answer “{visibleText(query)}” almost equally well. </>}
          An agent chooses between skills by their descriptions, so each should say what the other does not.
          Words that both have are marked.
        </p>
        <div className="compared">
          {hits.map(({ skill }) => (
            <section key={skill.id} className="stack gap-3" aria-label={skill.slug}>
              <h2 className="wrap-text">
                <span className="dim">{skill.tenantSlug}/</span>
                {skill.slug}
              </h2>
              <p className="sub">
                {skill.description === "" ? (
                  "It has no description."
                ) : (
                  <MarkedText text={skill.description} marks={marksOf(skill.description, shared)} />
                )}
              </p>
              <p className="meta">
                about {countText(estimateTokens(`${skill.slug} ${skill.description}`), "token")}
              </p>
              <div className="row wrap">
                <ButtonLink
                  to="/$org/$slug"
                  params={{ org: skill.tenantSlug, slug: skill.slug }}
                  size="xs"
                  variant="default"
                >
                  Open
                </ButtonLink>
                {skill.can?.includes("update") && (
                  <ButtonLink
                    to="/$org/$slug/settings"
                    params={{ org: skill.tenantSlug, slug: skill.slug }}
                    size="xs"
                    variant="default"
                  >
                    Change description
                  </ButtonLink>
                )}
              </div>
            </section>
          ))}
        </div>
      </div>
    </Modal>
  );
}

const word = /[\p{L}\p{N}]{4,}/gu;
const wordsOf = (text: string) => new Set(text.toLowerCase().match(word));

const sharedWords = (one: string, other: string): ReadonlySet<string> => {
  const others = wordsOf(other);
  return new Set([...wordsOf(one)].filter((text) => others.has(text)));
};

const marksOf = (text: string, words: ReadonlySet<string>): [number, number][] =>
  [...text.matchAll(word)]
    .filter(([found]) => words.has(found.toLowerCase()))
    .map(({ 0: found, index }) => [index, index + found.length]);
