import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { countText } from "../../../contract/text/count-text.ts";
import { identityQuery } from "../api/account/session.ts";
import { openRefetcher, type Refetcher } from "./refetch.ts";
import { listen } from "./stream.ts";

/** Keeps what is shown up to date while a user is signed in, and offers changes that wait for the pointer. */
export function LiveUpdates() {
  const client = useQueryClient();
  const { data: identity } = useQuery(identityQuery);
  const [waiting, setWaiting] = useState(0);
  const refetcher = useRef<Refetcher>(undefined);
  const userId = identity?.id;
  useEffect(() => {
    if (userId === undefined) return undefined;
    const opened = openRefetcher(client, setWaiting);
    refetcher.current = opened;
    const stop = listen(opened.receive);
    return () => {
      stop();
      opened.close();
    };
  }, [client, userId]);
  return (
    <div role="status">
      {waiting > 0 && (
        <Button size="xs" variant="default" onClick={() => refetcher.current?.apply()}>
          {countText(waiting, "change by others", "changes by others")}: show
        </Button>
      )}
    </div>
  );
}
