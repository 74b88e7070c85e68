import { Button, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { limits } from "../../../../../contract/limits.ts";
import { updateSkill } from "../../../api/skills/skill-settings.ts";
import type { Skill } from "../../../api/skills/skills.ts";
import { fieldError } from "../../../parts/forms/form.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { useSkillAddress } from "../context.ts";
import { useChanged } from "../use-changed.ts";

const fields = ["name", "description", "tags"] as const;

/** Name, description and tags, which belong to the skill rather than to a version. */
export function GeneralForm({ skill }: { skill: Skill }) {
  const { ref } = useSkillAddress();
  const changed = useChanged(ref);
  const [name, setName] = useState(skill.name);
  const [description, setDescription] = useState(skill.description);
  const [tags, setTags] = useState(skill.tags);
  const save = useMutation({
    mutationFn: () => updateSkill(ref, { name: name.trim(), description, tags }),
    onSuccess: changed,
  });
  return (
    <form
      className="panel"
      aria-label="General"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <header>
        <h2>General</h2>
      </header>
      <div className="body stack gap-4">
        <TextInput
          label="Name"
          value={name}
          required
          maxLength={limits.skillName}
          error={fieldError(save.error, "name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Textarea
          label="Description"
          description={`Tools read at most ${limits.skillDescriptionAdvised.toLocaleString("en")} characters of it.`}
          value={description}
          rows={4}
          maxLength={limits.skillDescription}
          error={fieldError(save.error, "description")}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <TagsInput
          label="Tags"
          description={`At most ${limits.tagsPerSkill}. Press Enter after each.`}
          value={tags}
          maxTags={limits.tagsPerSkill}
          error={fieldError(save.error, "tags")}
          onChange={setTags}
        />
        <Problem error={save.error} fields={fields} />
      </div>
      <SaveBar isSaving={save.isPending} isSaved={save.isSuccess} />
    </form>
  );
}

const SaveBar = ({ isSaving, isSaved }: { isSaving: boolean; isSaved: boolean }) => (
  <footer className="row">
    <Button type="submit" loading={isSaving}>
      Save
    </Button>
    <span className="meta" role="status">
      {isSaved && "Saved."}
    </span>
  </footer>
);
