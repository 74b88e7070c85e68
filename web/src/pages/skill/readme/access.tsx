import { Link } from "@tanstack/react-router";
import type { Skill } from "../../../api/skills/skills.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useFolder, useRights } from "../context.ts";

/** Who can read the skill, in a sentence that leads to the folder whose settings decide it. */
export function Access({ skill }: { skill: Skill }) {
  const { isMember } = useRights();
  const folder = useFolder(skill);
  const library = `/${skill.tenantSlug}/-/library`;
  return (
    <section>
      <h3>Access</h3>
      <p className="sub small">
        {sentenceOf(skill)}
        {isMember && (
          <>
            {" "}
            It is in{" "}
            <Link to={folder ? `${library}/${folder.path}` : library}>
              {folder ? visibleText(folder.path) : "the library's root"}
            </Link>
            .
          </>
        )}
      </p>
    </section>
  );
}

function sentenceOf(skill: Skill): string {
  if (skill.restricted) return "Only people with a grant for its restricted folder can read it.";
  if (skill.visibility === "public") return "Anyone can read it.";
  if (skill.visibility === "unlisted") return "Anyone who has the link can read it.";
  return "The organization's members can read it.";
}
