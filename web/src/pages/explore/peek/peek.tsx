import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Copy, Eye } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { splitSentences, isAboutUse } from "../../../../../contract/document/when-to-use.ts";
import { countText, numberText } from "../../../../../contract/text/count-text.ts";
import { identityQuery } from "../../../api/account/session.ts";
import type { SearchHit } from "../../../api/search.ts";
import { refOf, skillQuery, type Skill } from "../../../api/skills/skills.ts";
import { ButtonLink } from "../../../parts/button-link.tsx";
import { Sparkline } from "../../../parts/charts/sparkline.tsx";
import { Command } from "../../../parts/copy/command.tsx";
import { installLine } from "../../../parts/copy/shell.ts";
import { DeprecatedBadge } from "../../../parts/deprecated-badge.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { ToReview } from "../list/row.tsx";
import { Facts } from "./facts.tsx";
import { Files } from "./files.tsx";
import { Versions } from "./versions.tsx";

const CopyDialog = lazy(async () => ({
  default: (await import("../../skill/copy/dialog.tsx")).CopyDialog,
}));

/** The chosen skill next to the list: what it does, when it is used, what it costs, who uses it. */
export function Peek({ hit }: { hit: SearchHit }) {
  const { skill } = hit;
  const ref = refOf({ org: skill.tenantSlug, slug: skill.slug });
  const found = useQuery(skillQuery(ref));
  return (
    <section className="peek stack gap-4" aria-label="Preview" tabIndex={0}>
      <div className="row meta">
        <Eye size={14} aria-hidden="true" />
        <span className="grow">Preview</span>
        <span className="kbd">J</span>
        <span className="kbd">K</span> move <span className="kbd">Enter</span> open
      </div>
      <div>
        <p className="meta">{skill.tenantSlug}</p>
        <h2 className="clip">{skill.slug}</h2>
      </div>
      <div className="row wrap">
        <span className="badge">{skill.restricted ? "restricted" : skill.visibility}</span>
        <span className="badge mono">{skill.currentSemver}</span>
        {skill.type === "rule" && <span className="badge">rule</span>}
        <DeprecatedBadge message={skill.deprecated} />
        <ToReview hit={hit} />
        {skill.tags.map((tag) => (
          <span key={tag} className="tag">
            {visibleText(tag)}
          </span>
        ))}
      </div>
      <About description={skill.description} />
      <Command text={installLine(skill.tenantSlug, skill.slug)} />
      <div className="row actions">
        <ButtonLink to="/$org/$slug" params={{ org: skill.tenantSlug, slug: skill.slug }} variant="default">
          Open
        </ButtonLink>
        {found.data && <CopyTo skill={found.data} />}
      </div>
      <Downloads hit={hit} />
      <Loaded found={found} rows={6} rowHeight={26}>
        {(detail) => <Facts skill={detail} skillRef={ref} />}
      </Loaded>
      <Files skillRef={ref} address={`/${skill.tenantSlug}/${skill.slug}`} />
      <Versions skillRef={ref} address={`/${skill.tenantSlug}/${skill.slug}`} />
    </section>
  );
}

/** The description, with its sentences on when an agent uses the skill apart. */
export function About({ description }: { description: string }) {
  const sentences = splitSentences(description);
  const uses = sentences.filter(isAboutUse);
  const does = sentences.filter((sentence) => !isAboutUse(sentence)).join(" ");
  return (
    <>
      {does !== "" && <p className="sub">{visibleText(does)}</p>}
      {uses.length > 0 && (
        <div>
          <h3>When agents use it</h3>
          <p className="sub">{visibleText(uses.join(" "))}</p>
        </div>
      )}
    </>
  );
}

/** Copies the skill to an organization of the user, if they have another one than its own. */
function CopyTo({ skill }: { skill: Skill }) {
  const { data: identity } = useQuery(identityQuery);
  const [isOpen, setOpen] = useState(false);
  const [first, second] = identity?.memberships.filter(({ slug }) => slug !== skill.tenantSlug) ?? [];
  if (!first || skill.takedown) return null;
  return (
    <>
      <Button variant="default" leftSection={<Copy size={14} />} onClick={() => setOpen(true)}>
        <span className="clip">{second ? "Copy to…" : `Copy to ${visibleText(first.name)}`}</span>
      </Button>
      {isOpen && (
        <Suspense>
          <CopyDialog skill={skill} semver={skill.currentSemver} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

function Downloads({ hit: { trend, downloads30Days } }: { hit: SearchHit }) {
  if (!trend || downloads30Days === undefined) return null;
  return (
    <section>
      <div className="row between">
        <h3>Downloads, 30 days</h3>
        <span className="count">{numberText(downloads30Days)}</span>
      </div>
      {downloads30Days > 0 && (
        <Sparkline values={trend} label={`${countText(downloads30Days, "download")} in 30 days`} />
      )}
    </section>
  );
}
