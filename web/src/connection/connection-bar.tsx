import { Button } from "@mantine/core";
import { RefreshCw, WifiOff } from "lucide-react";
import { useSyncExternalStore } from "react";
import { readState, subscribe } from "./state.ts";

/** A line under the top bar while the service can't be reached, or once it has a newer release than this page. */
export function ConnectionBar() {
  const state = useSyncExternalStore(subscribe, readState);
  return (
    <div role="status" className="connection">
      {state === "offline" && (
        <p className="row">
          <WifiOff size={14} aria-hidden="true" />
          <span>
            <b>No connection to the service.</b> What you see may be out of date. Changes wait until it is
            back.
          </span>
        </p>
      )}
      {state === "outdated" && (
        <p className="row">
          <RefreshCw size={14} aria-hidden="true" />
          <span className="grow">
            <b>The service was upgraded.</b> Reload the page to continue with the new version.
          </span>
          <Button size="compact-xs" variant="default" onClick={() => location.reload()}>
            Reload
          </Button>
        </p>
      )}
    </div>
  );
}
