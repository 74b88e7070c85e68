import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { limits } from "../../../../../contract/limits.ts";
import { renameSkill } from "../../../api/skills/skill-settings.ts";
import type { Skill } from "../../../api/skills/skills.ts";
import { fieldError } from "../../../parts/forms/form.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { useSkillAddress } from "../context.ts";
import { useChanged } from "../use-changed.ts";

const fields = ["slug"] as const;

/** The slug, by which the skill is installed and found. */
export function SlugForm({ skill }: { skill: Skill }) {
  const { org, ref } = useSkillAddress();
  const changed = useChanged(ref);
  const navigate = useNavigate();
  const [slug, setSlug] = useState(skill.slug);
  const rename = useMutation({
    mutationFn: () => renameSkill(ref, slug.trim()),
    onSuccess: async (done) => {
      await navigate({ href: `/${org}/${done.skill.slug}/settings`, replace: true });
      await changed();
    },
  });
  return (
    <form
      className="panel"
      aria-label="Slug"
      onSubmit={(event) => {
        event.preventDefault();
        rename.mutate();
      }}
    >
      <header>
        <h2>Slug</h2>
      </header>
      <div className="body stack gap-4">
        <TextInput
          label="Slug"
          description="It is part of the skill's address. The previous slug leads to the skill, and stays reserved."
          value={slug}
          required
          spellCheck={false}
          maxLength={limits.skillSlug}
          error={fieldError(rename.error, "slug")}
          onChange={(event) => setSlug(event.currentTarget.value)}
        />
        <Problem error={rename.error} fields={fields} />
      </div>
      <footer>
        <Button type="submit" disabled={slug.trim() === skill.slug} loading={rename.isPending}>
          Rename
        </Button>
      </footer>
    </form>
  );
}
