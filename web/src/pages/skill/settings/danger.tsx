import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { hasParam } from "../../../api/query.ts";
import { deleteSkill } from "../../../api/skills/skill-settings.ts";
import type { Skill } from "../../../api/skills/skills.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { useSkillAddress } from "../context.ts";

/** Deletes the skill, after its slug was typed. */
export function Danger({ skill }: { skill: Skill }) {
  const { org, ref } = useSkillAddress();
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const client = useQueryClient();
  const confirm = async () => {
    await deleteSkill(ref);
    await navigate({ href: `/${org}/-/library` });
    client.removeQueries({ predicate: hasParam(ref) });
    await client.invalidateQueries();
  };
  return (
    <section className="panel" aria-label="Delete the skill">
      <header>
        <h2>Delete the skill</h2>
      </header>
      <p className="body sub">
        All versions, counts of downloads and records of installs are removed with it.
      </p>
      <footer>
        <Button color="danger" onClick={() => setAsking(true)}>
          Delete
        </Button>
      </footer>
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${skill.slug}`}
          action="Delete"
          isDangerous
          phrase={skill.slug}
          run={confirm}
          onClose={() => setAsking(false)}
        >
          <p>
            This removes the skill with its versions, its repository, and the records of its downloads and
            installs. Installed copies stay in place, but get no more updates. This can't be undone.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}
