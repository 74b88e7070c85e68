import { CircleCheck } from "lucide-react";
import { Command } from "../../../parts/copy/command.tsx";
import { installLine } from "../../../parts/copy/shell.ts";
import type { Published } from "./publish.ts";

/** The result of a publish with warnings, which would be missed on the next page. */
export function PublishedNotice({ published }: { published: Published }) {
  const { org, slug, semver, warnings } = published;
  return (
    <div className="page stack gap-4" style={{ maxWidth: 640 }}>
      <h1 className="row">
        <CircleCheck size={22} className="ok" aria-hidden="true" /> Published {slug} {semver}
      </h1>
      {warnings.length > 0 && (
        <div className="note warn">
          <ul className="stack">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </div>
      )}
      <Command text={installLine(org, slug)} />
      <p>
        <a href={`/${org}/${slug}`}>Open the skill</a>
      </p>
    </div>
  );
}
