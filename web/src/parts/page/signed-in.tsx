import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { identityQuery, type Identity } from "../../api/account/session.ts";
import { Failed } from "../states/failed.tsx";
import { SkeletonRows } from "../states/skeleton-rows.tsx";

interface Props {
  /** The head of the page, which precedes the content while it loads, too. */
  head?: ReactNode;
  children: (identity: Identity) => ReactNode;
}

/** Content for the signed-in user; a visitor is asked to sign in, and returns to the page afterwards. */
export function SignedIn({ children, head }: Props) {
  const { data: identity, error, refetch } = useQuery(identityQuery);
  if (identity)
    return (
      <>
        {head}
        {children(identity)}
      </>
    );
  if (error) return <Failed error={error} reset={() => void refetch()} />;
  if (identity === undefined)
    return (
      <>
        {head}
        <SkeletonRows rows={4} />
      </>
    );
  const back = encodeURIComponent(location.pathname + location.search);
  return (
    <div className="stack gap-3">
      <h1>Sign in</h1>
      <p className="sub">This page is about your own account.</p>
      <div>
        <Button component="a" href={`/sign-in?return_to=${back}`}>
          Sign in
        </Button>
      </div>
    </div>
  );
}
