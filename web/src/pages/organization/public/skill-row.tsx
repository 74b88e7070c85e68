import { ActionIcon, CopyButton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Check, Copy } from "lucide-react";
import { countText } from "../../../../../contract/text/count-text.ts";
import type { CatalogItem } from "../../../api/catalog.ts";
import type { SearchHit } from "../../../api/search.ts";
import { installLine } from "../../../parts/copy/shell.ts";
import { DeprecatedBadge } from "../../../parts/deprecated-badge.tsx";
import { MarkedText } from "../../../parts/text/marked-text.tsx";
import { Time } from "../../../parts/text/time.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";

type RowSkill = Pick<
  CatalogItem,
  "slug" | "currentSemver" | "deprecated" | "type" | "description" | "tags" | "downloads" | "updatedAt"
>;

interface Props {
  org: string;
  skill: RowSkill;
  /** The sentence that answers the search, in place of the description. */
  sentence?: SearchHit["sentence"];
}

/** A public skill with the facts that a choice needs, and the line that installs it. */
export function SkillRow({ org, skill, sentence }: Props) {
  const { slug, currentSemver, deprecated, type, description, tags, downloads, updatedAt } = skill;
  return (
    <li>
      <div className="row wrap">
        <Link className="clip" to="/$org/$slug" params={{ org, slug }}>
          <b>{slug}</b>
        </Link>
        <span className="mono dim">{currentSemver}</span>
        {type === "rule" && <span className="badge">rule</span>}
        <DeprecatedBadge message={deprecated} />
        <span className="grow" />
        <CopyInstallLine org={org} slug={slug} />
      </div>
      <p className="sub two-lines">{sentence ? <MarkedText {...sentence} /> : visibleText(description)}</p>
      <p className="meta row wrap">
        <span>
          {countText(downloads, "download")} · updated <Time value={updatedAt} />
        </span>
        {tags.map((tag) => (
          <span key={tag} className="tag">
            {visibleText(tag)}
          </span>
        ))}
      </p>
    </li>
  );
}

function CopyInstallLine({ org, slug }: { org: string; slug: string }) {
  return (
    <CopyButton value={installLine(org, slug)}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={copied ? "Copied" : `Copy the command that installs ${slug}`}
          title={installLine(org, slug)}
          onClick={copy}
        >
          {copied ? <Check size={14} /> : <Copy size={14} />}
        </ActionIcon>
      )}
    </CopyButton>
  );
}
