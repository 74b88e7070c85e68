import { Button } from "@mantine/core";
import { FolderInput } from "lucide-react";
import { useState } from "react";
import { cutAtWord } from "../../../../../contract/text/cut-text.ts";
import type { Skill } from "../../../api/folders.ts";
import { ButtonLink } from "../../../parts/button-link.tsx";
import { Command } from "../../../parts/copy/command.tsx";
import { installLine } from "../../../parts/copy/shell.ts";
import { Time } from "../../../parts/text/time.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { PinToggle } from "./pin-toggle.tsx";
import { Who } from "./who.tsx";

interface Props {
  skill: Skill;
  canMove: boolean;
  onMove: () => void;
}

/** Characters of a description that are shown at first. */
const shownCharacters = 280;

function Description({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const cut = cutAtWord(text, shownCharacters);
  return (
    <p className="sub">
      {visibleText(isWhole ? text : cut)}{" "}
      {cut !== text && (
        <button
          type="button"
          className="link-button"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? "Less" : "More"}
        </button>
      )}
    </p>
  );
}

/** The chosen skill: its facts, and who has access to it. */
export function SkillPanel({ skill, canMove, onMove }: Props) {
  const page: string = `/${skill.tenantSlug}/${skill.slug}`;
  return (
    <aside className="access-panel" aria-label={`Details of ${skill.slug}`}>
      <div className="panel-section stack">
        <div className="row between">
          <h2 className="clip grow">{skill.slug}</h2>
          <PinToggle org={skill.tenantSlug} pin={{ kind: "skill", id: skill.id }} name={skill.slug} />
          {canMove && (
            <Button size="xs" variant="default" leftSection={<FolderInput size={14} />} onClick={onMove}>
              Move
            </Button>
          )}
        </div>
        <Description key={skill.id} text={skill.description} />
        <p className="meta">
          {skill.currentSemver}, {skill.visibility}, changed <Time value={skill.updatedAt} />
        </p>
        <Command text={installLine(skill.tenantSlug, skill.slug)} />
        <ButtonLink variant="default" to={page}>
          Open
        </ButtonLink>
      </div>
      <Who key={skill.id} subject={{ kind: "skill", id: skill.id }} />
    </aside>
  );
}
