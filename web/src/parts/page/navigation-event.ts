/** Opens the navigation drawer from the top bar of any page; the shell listens. */
const name = "svc:open-navigation";

export const openNavigation = (): boolean => dispatchEvent(new Event(name));

export function onOpenNavigation(listen: () => void): () => void {
  addEventListener(name, listen);
  return () => removeEventListener(name, listen);
}
