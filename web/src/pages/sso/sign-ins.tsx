import { Button, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import {
  providersQuery,
  signInsQuery,
  type SignInFilter,
  type SsoSignIn,
} from "../../api/organization/sso.ts";
import { Pager, usePages } from "../../parts/lists/pager.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SkeletonRows } from "../../parts/skeleton-rows.tsx";
import { Time } from "../../parts/time.tsx";

interface Props {
  org: string;
  filter: SignInFilter;
  onFilter: (part: SignInFilter) => void;
}

const wholeNumber = /^\d{4}-?\d{4}$/;

/** Sign-ins by the providers of the organization, newest first, with the reasons of failures. */
export function SignIns({ org, filter, onFilter }: Props) {
  const number = filter.number !== undefined && wholeNumber.test(filter.number) ? filter.number : undefined;
  const pages = usePages(JSON.stringify({ ...filter, number }));
  const found = useQuery(signInsQuery(org, { ...filter, number }, pages.cursor));
  const signIns = found.data?.data ?? [];
  const isFiltered = filter.provider !== undefined || number !== undefined;
  return (
    <section className="stack g3" aria-label="Sign-in log">
      <p className="sub">
        Sign-ins of the last 30 days. People see only that a sign-in failed, with a number: enter it to find
        the reason.
      </p>
      <Filters org={org} filter={filter} found={found} onFilter={onFilter} />
      <Problem error={found.error} retry={() => void found.refetch()} />
      {found.isPending && <SkeletonRows height={44} />}
      {signIns.length > 0 && <SignInTable signIns={signIns} />}
      {found.isSuccess && signIns.length === 0 && (
        <p className="sub">{isFiltered ? "No sign-in matches. Remove a filter." : "No sign-in yet."}</p>
      )}
      <Pager
        pages={pages}
        nextCursor={found.data?.nextCursor}
        isPending={found.isPlaceholderData}
        label="sign-ins"
      />
    </section>
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

function SignInTable({ signIns }: { signIns: SsoSignIn[] }) {
  return (
    <div className="panel scroll">
      <table className="tbl sign-ins">
        <caption className="sr">Sign-ins</caption>
        <thead>
          <tr>
            <th scope="col">Person</th>
            <th scope="col" className="hide-s">
              Provider
            </th>
            <th scope="col">Outcome</th>
            <th scope="col" className="hide-s">
              Time
            </th>
          </tr>
        </thead>
        <tbody>
          {signIns.map(({ id, number, at, provider, outcome, message, subject, email }) => (
            <tr key={id}>
              <td className="wrap-text">
                <b>{email ?? subject ?? "unknown"}</b>
                {message !== null && <span className="block">{message}</span>}
                <span className="meta mono block">
                  {number.slice(0, 4)}-{number.slice(-4)}
                </span>
              </td>
              <td className="hide-s wrap-text">{provider ?? "deleted"}</td>
              <td>
                <span className={`badge ${outcomes[outcome][1]}`}>{outcomes[outcome][0]}</span>
              </td>
              <td className="meta hide-s nowrap">
                <Time value={at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
