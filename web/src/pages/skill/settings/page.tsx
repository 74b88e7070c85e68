import "./settings.css";
import { createFileRoute } from "@tanstack/react-router";
import type { Skill } from "../../../api/skills/skills.ts";
import { useRights, useSkill } from "../context.ts";
import { TabProblem } from "../tab-failed.tsx";
import { Danger } from "./danger.tsx";
import { DeprecationForm } from "./deprecation-form.tsx";
import { FolderForm } from "./folder-form.tsx";
import { GeneralForm } from "./general-form.tsx";
import { OwnerTeamForm } from "./owner-team-form.tsx";
import { RequiredForm } from "./required-form.tsx";
import { SlugForm } from "./slug-form.tsx";
import { VisibilityForm } from "./visibility-form.tsx";

export const Route = createFileRoute("/$org/$slug/settings")({
  errorComponent: TabProblem,
  component: Settings,
});

function Settings() {
  const skill = useSkill();
  const { canUpdate, canDelete } = useRights();
  if (!canUpdate && !canDelete) {
    return (
      <section className="tab-content stack gap-3">
        <h2>Settings</h2>
        <p className="sub">
          Changing this skill requires the permission to update skills, which a role of the organization can
          give you.
        </p>
      </section>
    );
  }
  return (
    <div className="settings tab-content stack gap-6">
      {canUpdate && (
        <>
          <GeneralForm key={skill.updatedAt} skill={skill} />
          {skill.visibility === "private" && <RequiredForm key={requiredKey(skill)} skill={skill} />}
          <SlugForm key={`slug ${skill.slug}`} skill={skill} />
          <OwnerTeamForm key={`owner ${skill.ownerTeam?.id}`} skill={skill} />
          <VisibilityForm key={skill.visibility} skill={skill} />
          <FolderForm key={skill.folderId} skill={skill} />
          <DeprecationForm key={`deprecation ${skill.deprecated}`} skill={skill} />
        </>
      )}
      {canDelete && <Danger skill={skill} />}
    </div>
  );
}

/** Changes by others replace what the form shows. */
const requiredKey = ({ requiredMcpServers = [] }: Skill) =>
  `required ${requiredMcpServers.map(({ slug }) => slug).join(" ")}`;
