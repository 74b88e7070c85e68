import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { KeyRound, UserRoundSearch } from "lucide-react";
import { useState, type ReactNode } from "react";
import { ApiError } from "../../../api/client.ts";
import {
  effectiveQuery,
  plannedAccessQuery,
  type AccessDraft,
  type AccessReason,
  type Subject,
} from "../../../api/folders.ts";
import { Initials } from "../../../parts/avatar.tsx";
import { itemsOf, type Found } from "../../../parts/lists/found.ts";
import { List } from "../../../parts/lists/list-section.tsx";
import { levelOf, whyOf } from "./reasons.ts";

interface Entry {
  principal: { type: "member" | "token"; id: string; name: string };
  can: string[];
  before?: string[];
  reasons?: AccessReason[];
}

/**
 * Each member and token of the organization with what they may do and why; with a draft, what they could do before and
 * after it.
 */
export function Who({ subject, draft }: { subject: Subject; draft?: AccessDraft }) {
  const [text, setText] = useState("");
  const [query] = useDebouncedValue(text.trim(), 200);
  const present = useInfiniteQuery({ ...effectiveQuery(subject, query), enabled: draft === undefined });
  const planned = useQuery({
    ...plannedAccessQuery(subject.id, draft ?? { restricted: false, grants: [] }, query),
    enabled: draft !== undefined,
  });
  const shown: Found<Entry> = draft === undefined ? present : { ...planned, data: planned.data?.data };
  // Without the right to manage the grants, the caller is not told who has access.
  if (shown.error instanceof ApiError && shown.error.status === 403) return null;
  const entries = itemsOf(shown);
  const readers = entries.filter(({ can }) => can.includes("read")).length;
  const isWhole = draft === undefined ? !present.hasNextPage : planned.data?.nextCursor === null;
  return (
    <section className="panel-section who-list" aria-label="Who can do what here, and why">
      <div className="row between">
        <h3>{draft ? "Who could do what after saving" : "Who can do what here, and why"}</h3>
        <span className="meta" aria-live="polite">
          {shown.data && isWhole && `${readers} of ${entries.length}`}
        </span>
      </div>
      <TextInput
        aria-label="Find by name"
        placeholder="Find by name"
        size="xs"
        leftSection={<UserRoundSearch size={14} />}
        value={text}
        maxLength={100}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <List found={shown} rows={4} rowHeight={52} empty={<p className="meta">Nothing here has this name.</p>}>
        {(holders) => (
          <ul>
            {holders.map((holder) => (
              <Holder key={holder.principal.id} entry={holder} />
            ))}
          </ul>
        )}
      </List>
    </section>
  );
}

function Holder({ entry: { principal, can, before, reasons } }: { entry: Entry }) {
  const level = levelOf(can);
  const previous = before ? levelOf(before) : level;
  const tone = previous !== level ? "accent" : can.length === 0 ? "danger" : "";
  return (
    <li className="who">
      {principal.type === "token" ? (
        <KeyRound size={22} role="img" aria-label="API token" />
      ) : (
        <Initials name={principal.name} />
      )}
      <div className="grow">
        <div className="row between">
          <b className="clip">{principal.name}</b>
          <span className={`badge ${tone}`}>{previous === level ? level : `${level}, was ${previous}`}</span>
        </div>
        <Why>{reasons && whyOf(reasons)}</Why>
      </div>
    </li>
  );
}

const Why = ({ children }: { children: ReactNode }) =>
  children ? <span className="why">{children}</span> : null;
