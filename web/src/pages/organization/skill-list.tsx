import { Link } from "@tanstack/react-router";
import { countText } from "../../../../contract/count-text.ts";
import type { CatalogItem } from "../../api/catalog.ts";
import { Time } from "../../parts/time.tsx";
import { visibleText } from "../../parts/visible-text.ts";

/** Public skills, each a link with its description and facts. */
export function SkillList({ items }: { items: CatalogItem[] }) {
  return (
    <ul className="panel skills">
      {items.map((item) => (
        <li key={item.publicId}>
          <Link to="/$org/$slug" params={{ org: item.tenantSlug, slug: item.slug }}>
            <b className="clip">{item.slug}</b>
          </Link>
          <span className="mono dim">{item.currentSemver}</span>
          {item.type === "rule" && <span className="badge">rule</span>}
          <span className="meta grow right">
            {countText(item.downloads, "download")}, updated <Time value={item.updatedAt} />
          </span>
          <p className="sub clip">{visibleText(item.description)}</p>
        </li>
      ))}
    </ul>
  );
}
