import { Button, CopyButton } from "@mantine/core";
import { Copy, Globe, Link2, Lock, Pencil, ShieldAlert } from "lucide-react";
import type { Skill } from "../../api/skills.ts";
import { visibleText } from "../../parts/visible-text.ts";
import { useRights, useSkillAddress } from "./context.ts";
import { VersionMenu } from "./version-menu.tsx";

/** Name, version, visibility and description of the skill, above all its tabs. */
export function Header({ skill }: { skill: Skill }) {
  const { canUpdate } = useRights();
  return (
    <header className="head">
      <div className="stack">
        <div className="row wrap">
          <h1 className="clip">
            <span className="dim">{skill.tenantSlug}/</span>
            {skill.slug}
          </h1>
          <VersionMenu skill={skill} />
          <VisibilityBadge skill={skill} />
          {skill.type === "rule" && <span className="badge">rule</span>}
          {skill.takedown && (
            <span className="badge danger">
              <ShieldAlert size={12} /> blocked
            </span>
          )}
        </div>
        {visibleText(skill.name) !== skill.slug && <p className="sub name1">{visibleText(skill.name)}</p>}
        <p className="sub about">{visibleText(skill.description)}</p>
        {skill.takedown && (
          <p className="note danger">
            <ShieldAlert className="i" aria-hidden="true" />
            <span>
              An administrator blocked this skill for everyone outside the organization:{" "}
              {visibleText(skill.takedown.reason)}
            </span>
          </p>
        )}
      </div>
      <div className="row">
        <CopyLink />
        {canUpdate && (
          <Button
            component="a"
            variant="default"
            href={`/${skill.tenantSlug}/${skill.slug}/edit`}
            leftSection={<Pencil size={16} />}
          >
            Edit
          </Button>
        )}
      </div>
    </header>
  );
}

function CopyLink() {
  const { org, slug, version } = useSkillAddress();
  const query = version === undefined ? "" : `?version=${encodeURIComponent(version)}`;
  return (
    <CopyButton value={`${location.origin}/${org}/${slug}${query}`}>
      {({ copied, copy }) => (
        <Button variant="default" leftSection={<Copy size={16} />} onClick={copy}>
          {copied ? "Copied" : "Copy link"}
        </Button>
      )}
    </CopyButton>
  );
}

function VisibilityBadge({ skill }: { skill: Skill }) {
  if (skill.restricted) {
    return (
      <span className="badge">
        <Lock size={12} /> restricted
      </span>
    );
  }
  const Icon = { public: Globe, unlisted: Link2, private: Lock }[skill.visibility];
  return (
    <span className="badge">
      <Icon size={12} /> {skill.visibility}
    </span>
  );
}
