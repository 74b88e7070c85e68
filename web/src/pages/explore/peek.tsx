import { Button } from "@mantine/core";
import { Eye } from "lucide-react";
import type { CatalogItem } from "../../api/catalog.ts";
import { Command } from "../../parts/copy/command.tsx";
import { installLine } from "../../parts/copy/shell.ts";
import { Time } from "../../parts/time.tsx";

/** The chosen skill next to the list: the facts that a decision needs. */
export function Peek({ item }: { item: CatalogItem }) {
  return (
    <section className="peek stack gap-4" aria-label="Preview" tabIndex={0}>
      <div className="row meta">
        <Eye size={14} />
        <span className="grow">Preview</span>
        <span className="kbd">J</span>
        <span className="kbd">K</span> move <span className="kbd">Enter</span> open
      </div>
      <div>
        <p className="meta">{item.tenantSlug}</p>
        <h2 className="clip">{item.slug}</h2>
      </div>
      <div className="row wrap">
        <span className="badge">{item.type}</span>
        <span className="badge mono">{item.currentSemver}</span>
        {item.tags.map((tag) => (
          <span key={tag} className="tag">
            {tag}
          </span>
        ))}
      </div>
      <p className="sub">{item.description}</p>
      <Command text={installLine(item.tenantSlug, item.slug)} />
      <Button component="a" variant="default" href={`/${item.tenantSlug}/${item.slug}`}>
        Open
      </Button>
      <dl className="fact-list">
        <dt>Downloads</dt>
        <dd>{item.downloads.toLocaleString("en")}</dd>
        <dt>Updated</dt>
        <dd>
          <Time value={item.updatedAt} />
          {item.author && ` by ${item.author.username}`}
        </dd>
      </dl>
    </section>
  );
}
