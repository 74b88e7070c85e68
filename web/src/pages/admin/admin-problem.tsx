import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { identityQuery } from "../../api/account/session.ts";
import { ApiError } from "../../api/client.ts";
import { Problem } from "../../parts/states/problem.tsx";

/**
 * The failure of a list. The lists of the administration exist for administrators only: if one is not found, the
 * session has ended or the user has lost the right, which reading the user again shows.
 */
export function AdminProblem({ error, retry }: { error: unknown; retry: () => void }) {
  const client = useQueryClient();
  useEffect(() => {
    const isGone = error instanceof ApiError && error.status === 404;
    if (isGone) void client.invalidateQueries({ queryKey: identityQuery.queryKey });
  }, [client, error]);
  return <Problem error={error} retry={retry} />;
}
