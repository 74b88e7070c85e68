import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { countText } from "../../../../../contract/text/count-text.ts";
import { publicCollectionsQuery, type PublicCollection } from "../../../api/public-organization.ts";
import { Problem } from "../../../parts/states/problem.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";

/** Skills that a card names. */
const shownSkills = 4;

/** The public collections in the organization's order. Nothing while it is unknown whether there are any. */
export function Collections({ org }: { org: string }) {
  const { data, error, refetch } = useQuery(publicCollectionsQuery(org));
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  if (!data || data.length === 0) return null;
  return (
    <section className="stack gap-3" aria-labelledby="collections-heading">
      <h2 id="collections-heading">Collections</h2>
      <ul className="collections">
        {data.map((collection) => (
          <Card key={collection.slug} org={org} collection={collection} />
        ))}
      </ul>
    </section>
  );
}

function Card({ org, collection }: { org: string; collection: PublicCollection }) {
  const { slug, name, description, skillCount, skills } = collection;
  return (
    <li className="panel">
      <h3>
        <Link to="/$org" params={{ org }} search={(old) => ({ preview: old.preview, collection: slug })}>
          {visibleText(name)}
        </Link>
      </h3>
      {description !== "" && <p className="sub two-lines">{visibleText(description)}</p>}
      <ul className="names">
        {skills.slice(0, shownSkills).map((skill) => (
          <li key={skill.publicId} className="clip">
            <Link to="/$org/$slug" params={{ org, slug: skill.slug }}>
              {skill.slug}
            </Link>
          </li>
        ))}
      </ul>
      <p className="meta">{countText(skillCount, "skill")}</p>
    </li>
  );
}
