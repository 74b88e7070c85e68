import { Button, Radio } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { exposureQuery, updateSkill } from "../../../api/skills/skill-settings.ts";
import type { Skill } from "../../../api/skills/skills.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { useSkillAddress } from "../context.ts";
import { useChanged } from "../use-changed.ts";
import { ExposureNote } from "./exposure.tsx";

const choices = [
  { value: "private", label: "Private", hint: "Members of the organization can read it." },
  { value: "unlisted", label: "Unlisted", hint: "Everyone who has the link can read it." },
  { value: "public", label: "Public", hint: "Anyone can read it, and find it in the catalog." },
] as const;

/** The visibility, whose effect is shown before it is applied. */
export function VisibilityForm({ skill }: { skill: Skill }) {
  const { ref } = useSkillAddress();
  const changed = useChanged(ref);
  const [visibility, setVisibility] = useState(skill.visibility);
  const [isAsking, setAsking] = useState(false);
  const isChanged = visibility !== skill.visibility;
  const effect = useQuery({ ...exposureQuery(ref, visibility), enabled: isChanged });
  const apply = async () => {
    await updateSkill(ref, { visibility });
    await changed();
  };
  return (
    <section className="panel" aria-label="Visibility">
      <header>
        <h2>Visibility</h2>
      </header>
      <div className="body stack gap-4">
        {skill.restricted && (
          <p className="sub">
            The skill is in a restricted folder. Regardless of its visibility, only people with a grant can
            read it.
          </p>
        )}
        <Radio.Group aria-label="Visibility" value={visibility} onChange={(value) => setVisibility(value)}>
          <div className="stack gap-3">
            {choices.map(({ value, label, hint }) => (
              <Radio key={value} value={value} label={label} description={hint} />
            ))}
          </div>
        </Radio.Group>
        {effect.data && isChanged && <ExposureNote effect={effect.data} />}
        {isChanged && <Problem error={effect.error} />}
      </div>
      <footer>
        <Button disabled={!isChanged || !effect.data} onClick={() => setAsking(true)}>
          Change visibility
        </Button>
      </footer>
      {isAsking && effect.data && (
        <ConfirmDialog
          title={`Make the skill ${visibility}`}
          action={`Make it ${visibility}`}
          run={apply}
          onClose={() => setAsking(false)}
        >
          <ExposureNote effect={effect.data} />
        </ConfirmDialog>
      )}
    </section>
  );
}
