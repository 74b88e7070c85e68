import { Button, Menu, Pagination, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { useRef, useState, type Ref } from "react";
import { auditExport, auditPageSize, auditQuery, type AuditFilter } from "../../api/audit.ts";
import { useKeys } from "../../parts/keys.ts";
import { OrganizationPage } from "../../parts/organization-page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SkeletonRows } from "../../parts/skeleton-rows.tsx";
import { Entries } from "./entries.tsx";
import "./audit.css";

/** Entries that the service pages through. */
const reach = 10_000;
const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const dateOf = (value: unknown) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined;

export const Route = createFileRoute("/$org/-/audit")({
  validateSearch: (raw: Record<string, unknown>): AuditFilter => ({
    action: textOf(raw["action"]),
    actor: textOf(raw["actor"]),
    resource: textOf(raw["resource"]),
    from: dateOf(raw["from"]),
    to: dateOf(raw["to"]),
    page: typeof raw["page"] === "number" && raw["page"] > 1 ? Math.floor(raw["page"]) : undefined,
  }),
  component: AuditPage,
});

function AuditPage() {
  const { org } = Route.useParams();
  const filter = Route.useSearch();
  return (
    <OrganizationPage
      org={org}
      title="Audit log"
      permission={["auditLog", "read"]}
      renderActions={() => (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button size="xs" variant="default" leftSection={<Download size={14} />}>
              Export
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {(["csv", "json"] as const).map((format) => (
              <Menu.Item key={format} component="a" href={auditExport(org, filter, format)} download>
                All that match, as {format.toUpperCase()}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    >
      {() => (
        <div className="page audit stack g4">
          <h1>Audit log</h1>
          <p className="sub">Recorded actions of the last 90 days, newest first.</p>
          <Filters filter={filter} />
          <Log org={org} filter={filter} />
        </div>
      )}
    </OrganizationPage>
  );
}

function Log({ org, filter }: { org: string; filter: AuditFilter }) {
  const navigate = useNavigate({ from: Route.fullPath });
  const log = useQuery(auditQuery(org, filter));
  const pages = Math.ceil(Math.min(log.data?.total ?? 0, reach) / auditPageSize);
  return (
    <section className="stack g3" aria-label="Entries">
      <Problem error={log.error} retry={() => void log.refetch()} />
      {log.isPending && <SkeletonRows height={40} />}
      {log.data && (
        <>
          <p className="meta" aria-live="polite">
            {log.data.total.toLocaleString("en")}
            {log.data.totalIsExact ? "" : " or more"} entries
          </p>
          {log.data.entries.length > 0 ? (
            <div data-dimmed={log.isPlaceholderData}>
              <Entries
                entries={log.data.entries}
                onFilter={(part) =>
                  void navigate({ search: (old) => ({ ...old, ...part, page: undefined }) })
                }
              />
            </div>
          ) : (
            <p className="sub">No entry matches. Remove a filter, or choose a longer time range.</p>
          )}
        </>
      )}
      {pages > 1 && (
        <Pagination
          total={pages}
          value={filter.page ?? 1}
          getControlProps={(control) => ({ "aria-label": `${control} page` })}
          getItemProps={(page) => ({ "aria-label": `Page ${page}` })}
          onChange={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        />
      )}
    </section>
  );
}

function Filters({ filter }: { filter: AuditFilter }) {
  const navigate = useNavigate({ from: Route.fullPath });
  const first = useRef<HTMLInputElement>(null);
  const change = (part: AuditFilter) =>
    void navigate({ search: (old) => ({ ...old, ...part, page: undefined }), replace: true });
  useKeys({ "/": () => first.current?.focus() });
  return (
    <div className="filters">
      <TextFilter
        label="Action"
        placeholder="skill.created, folder.*"
        value={filter.action}
        field={first}
        onChange={(action) => change({ action })}
      />
      <TextFilter
        label="Actor"
        placeholder="user name or id"
        value={filter.actor}
        onChange={(actor) => change({ actor })}
      />
      <TextFilter
        label="Resource"
        placeholder="id"
        value={filter.resource}
        onChange={(resource) => change({ resource })}
      />
      {(["from", "to"] as const).map((key) => (
        <TextInput
          key={key}
          label={key === "from" ? "From" : "To"}
          type="date"
          value={filter[key] ?? ""}
          onChange={(event) => change({ [key]: event.currentTarget.value || undefined })}
        />
      ))}
    </div>
  );
}

interface TextFilterProps {
  label: string;
  placeholder: string;
  value: string | undefined;
  field?: Ref<HTMLInputElement>;
  onChange: (value: string | undefined) => void;
}

/** A filter that is applied shortly after typing, and that follows the address. */
function TextFilter({ label, placeholder, value = "", field, onChange }: TextFilterProps) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    if (text.trim() !== value) setText(value);
  }
  const apply = useDebouncedCallback((next: string) => onChange(next.trim() || undefined), 300);
  return (
    <TextInput
      ref={field}
      label={label}
      placeholder={placeholder}
      maxLength={200}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value);
      }}
    />
  );
}
