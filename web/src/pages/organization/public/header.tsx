import { countText } from "../../../../../contract/text/count-text.ts";
import type { PublicOrganization } from "../../../api/public-organization.ts";
import { Initials } from "../../../parts/avatar.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";

/** Who publishes the skills, and how many there are. */
export function Header({ organization }: { organization: PublicOrganization }) {
  const { slug, name, description, avatarUrl, publicSkills, publicSkillsIsExact, downloads } = organization;
  return (
    <header className="head">
      <Initials name={name} src={avatarUrl} isOrganization isLarge />
      <div className="stack">
        <div className="row wrap">
          <h1>{visibleText(name)}</h1>
          {slug !== name && <span className="mono dim">{slug}</span>}
        </div>
        {description !== "" && <p className="sub">{visibleText(description)}</p>}
        <p className="meta">
          {publicSkillsIsExact ? "" : "over "}
          {countText(publicSkills, "public skill")} · {countText(downloads, "download")}
        </p>
      </div>
    </header>
  );
}
