import type { Clock, Deliveries, Faults, Journal, Snapshots } from "./parts.js";

export type * from "./parts.js";

/** Why a server could not be started, or why it refused something, and what to do. */
export class ForgewrightError extends Error {
  /** The status with which the control API refused a request. */
  status?: number;
}

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
  /** Its private key in PEM: of the demo, or that in the file. */
  private_key: string | null;
}

/** A world: data, tokens, limits, webhooks and a time of its own. */
export class World implements AsyncDisposable {
  private constructor();
  readonly name: string;
  /** The base URL for clients, without a slash at its end. */
  readonly url: string;
  readonly tokens: readonly Token[];
  readonly apps: readonly App[];
  readonly clock: Clock;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly deliveries: Deliveries;
  readonly snapshots: Snapshots;
  /** The value of a token of this holder. */
  token(holder: string): string;
  /** The app with this slug. */
  app(slug: string): App;
  /** Goes back to the state after loading. */
  reset(): Promise<void>;
  /** What exists in the world, a page of each kind. */
  contents(page?: { per_page?: number; page?: number }): Promise<WorldContents>;
  /** Ends the world and removes what belongs to it. */
  delete(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What exists in a world, with ids. */
export interface WorldContents {
  accounts: { id: number; login: string; kind: "user" | "organization" | "bot" }[];
  members: { organization: string; user: string; role: "member" | "admin" }[];
  repositories: { id: number; full_name: string; visibility: "public" | "private" | "internal"; default_branch: string }[];
  collaborators: { repository: string; user: string; permission: "read" | "triage" | "write" | "maintain" | "admin" }[];
  issues: { id: number; repository: string; number: number; title: string }[];
  pull_requests: { id: number; repository: string; number: number; title: string }[];
  projects: { id: number; owner: string; number: number; title: string }[];
  apps: { id: number; slug: string; client_id: string; webhook_url?: string }[];
  installations: { id: number; app: string; account: string; repository_selection: "all" | "selected" }[];
  tokens: { id: number; kind: string; holder: string; value?: string }[];
  more: boolean;
}

/** What a world is made from: one of `template`, `world` and `copyOf`. */
export interface WorldOptions {
  /** The name in its URL; a random one by default. */
  name?: string;
  /** `main` is what the server was started with, and the default. */
  template?: "main" | "demo" | "empty";
  /** The path of a world file, its text, or its contents as an object. */
  world?: string | object;
  /** A world, or its name, whose current state is copied. */
  copyOf?: string | World;
}

/** A server that runs until it is stopped, or until this process ends, with its world `main`. */
export interface Forge extends World {
  /** The file with the certificate to trust, of a server with an authority of its own. */
  readonly authority: string | null;
  /** Makes a world that shares nothing with others. */
  world(options?: WorldOptions): Promise<World>;
  /** All worlds of the server. */
  worlds(): Promise<{ name: string; url: string; created_at: string }[]>;
  /** Ends the server and removes its folder. One that was connected to goes on. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** The path of a world file, its text, or its contents as an object. Without, the demo world. */
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

/** Uses a server that runs already, with the control API. */
export function connect(url: string, options?: { token?: string; authority?: string }): Promise<Forge>;
