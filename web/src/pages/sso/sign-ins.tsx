import { Button, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import {
  providersQuery,
  signInsQuery,
  type SignInFilter,
  type SsoSignIn,
} from "../../api/organization/sso.ts";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { ListSection } from "../../parts/lists/list-section.tsx";
import { Time } from "../../parts/text/time.tsx";

interface Props {
  org: string;
  filter: SignInFilter;
  onFilter: (part: SignInFilter) => void;
}

const wholeNumber = /^\d{4}-?\d{4}$/;

/** Sign-ins through the providers of the organization, newest first, with the reasons of failures. */
export function SignIns({ org, filter, onFilter }: Props) {
  const number = filter.number !== undefined && wholeNumber.test(filter.number) ? filter.number : undefined;
  const found = useInfiniteQuery(signInsQuery(org, { ...filter, number }));
  const isFiltered = filter.provider !== undefined || number !== undefined;
  return (
    <ListSection
      label="Sign-in log"
      found={found}
      filter={
        <>
          <p className="sub">
            Sign-ins of the last 30 days. People see only that a sign-in failed, with a number: enter it to
            find the reason.
          </p>
          <Filters org={org} filter={filter} found={found} onFilter={onFilter} />
        </>
      }
      empty={isFiltered ? "No sign-in matches. Remove a filter." : "No sign-in yet."}
    >
      {(signIns) => (
        <DataTable
          caption="Sign-ins"
          className="align-top"
          columns={columns}
          rows={signIns}
          keyOf={({ id }) => id}
        />
      )}
    </ListSection>
  );
}

function Filters({
  org,
  filter,
  found,
  onFilter,
}: Props & { found: { isRefetching: boolean; refetch(): unknown } }) {
  const providers = useQuery(providersQuery(org));
  const changeNumber = useDebouncedCallback(
    (text: string) => onFilter({ number: text.trim() || undefined }),
    200,
  );
  return (
    <div className="row wrap">
      <TextInput
        className="grow"
        miw={180}
        aria-label="Number of a failed sign-in"
        placeholder="Number, such as 1234-5678"
        inputMode="numeric"
        maxLength={9}
        defaultValue={filter.number ?? ""}
        onChange={(event) => changeNumber(event.currentTarget.value)}
      />
      <Select
        aria-label="Provider"
        placeholder="All providers"
        w={180}
        clearable
        clearButtonProps={{ "aria-label": "All providers" }}
        data={(providers.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={filter.provider ?? null}
        onChange={(provider) => onFilter({ provider: provider ?? undefined })}
      />
      <Button
        variant="default"
        leftSection={<RotateCw size={14} />}
        loading={found.isRefetching}
        onClick={() => void found.refetch()}
      >
        Refresh
      </Button>
    </div>
  );
}

const outcomes: Record<SsoSignIn["outcome"], [text: string, tone: string]> = {
  signed_in: ["signed in", "ok"],
  failed: ["failed", "danger"],
  link_offered: ["link offered", "warn"],
  tested: ["test", ""],
};

const columns: Column<SsoSignIn>[] = [
  {
    header: "Person",
    className: "wrap-text",
    cell: ({ number, message, subject, email }) => (
      <>
        <b>{email ?? subject ?? "unknown"}</b>
        {message !== null && <span className="block">{message}</span>}
        <span className="meta mono block">
          {number.slice(0, 4)}-{number.slice(-4)}
        </span>
      </>
    ),
  },
  {
    header: "Provider",
    isHiddenOnPhones: true,
    className: "wrap-text",
    cell: ({ provider }) => provider ?? "deleted",
  },
  {
    header: "Outcome",
    cell: ({ outcome }) => <span className={`badge ${outcomes[outcome][1]}`}>{outcomes[outcome][0]}</span>,
  },
  {
    header: "Time",
    isHiddenOnPhones: true,
    className: "meta nowrap",
    cell: ({ at }) => <Time value={at} />,
  },
];
