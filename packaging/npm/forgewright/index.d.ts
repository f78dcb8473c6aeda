/** Why a server could not be started, and what to do. */
export class ForgewrightError extends Error {}

/** The version of this package and of its binary. */
export const version: string;

/** A token of the world. */
export interface Token {
  value: string;
  kind: "classic" | "fine_grained" | "oauth" | "app_user" | "installation";
  /** The login of its user, or its app and account: `ci-bot on acme`. */
  holder: string;
  /** What it may do, in a few words. */
  description: string;
}

/** An app of the world. */
export interface App {
  id: number;
  slug: string;
  client_id: string;
  /** The file with its private key in PEM, if the world generates one. */
  private_key_file: string | null;
}

/** A server that runs until it is stopped, or until this process ends. */
export interface Forge extends AsyncDisposable {
  /** The root of the API, without a slash at its end. */
  readonly url: string;
  readonly tokens: readonly Token[];
  readonly apps: readonly App[];
  /** The value of a token of this holder. */
  token(holder: string): string;
  /** Ends the server and removes its folder. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** A world file, or its contents as an object. Without one, the demo world. */
  world?: string | object;
  /** Further flags of `forgewright serve`. */
  args?: readonly string[];
  /** Environment variables of the server. */
  env?: Readonly<Record<string, string>>;
  /** Where to listen; a free port of this machine by default. */
  listen?: string;
  /** The folder for the folders of servers; that of temporary files by default. */
  folder?: string;
  /** Another binary than that of this package. */
  binary?: string;
  /** How many milliseconds it may take to start; 30,000 by default. */
  timeout?: number;
}

/** Starts a server on a free port. */
export function start(options?: StartOptions): Promise<Forge>;
