/** The time of a world. */
export interface Clock {
  get(): Promise<WorldClock>;
  /** Lets the time stand still, at another time if one is given. */
  freeze(at?: Date | string): Promise<WorldClock>;
  /** Lets a clock that stood still go on from where it is. */
  unfreeze(): Promise<WorldClock>;
  set(at: Date | string): Promise<WorldClock>;
  /** Leaps by so many seconds; back, if they are negative. */
  advance(by: number | { days?: number; hours?: number; minutes?: number; seconds?: number }): Promise<WorldClock>;
  /** Returns to the time of the system. */
  release(): Promise<WorldClock>;
}

export interface WorldClock {
  now: string;
  frozen: boolean;
  /** How many seconds it is ahead of the time of the system. */
  offset: number;
}

/** How long to wait, in milliseconds; 10,000 by default. */
export interface WaitOptions {
  timeout?: number;
}

/** The requests that were made of a world, and why each was answered so. */
export interface Journal {
  /** The newest first. */
  list(filter?: JournalFilter): Promise<JournalEntry[]>;
  /** A request by its number or its request id. */
  get(id: number | string): Promise<JournalEntry>;
  /** The newest request that fits, as soon as there is one. */
  wait(filter?: JournalFilter, options?: WaitOptions): Promise<JournalEntry>;
  /** Why a request was answered so: by its number, its request id, an answer, or the error that Octokit threw. */
  explain(request: number | string | object): Promise<Explanation>;
  clear(): Promise<void>;
}

export interface JournalFilter {
  method?: string;
  /** The beginning of a path, or a pattern with `*` and `**`. */
  path?: string;
  /** An `operationId`, such as `create_ref`. */
  operation?: string;
  /** `404` or `4xx`. */
  status?: number | string;
  /** A kind, a login, an app, an installation or a token as it is shown. */
  caller?: string | number;
  /** Only requests after the one with this number. */
  after?: number;
  per_page?: number;
}

export interface JournalEntry {
  id: number;
  request_id: string;
  at: string;
  microseconds: number;
  method: string;
  path: string;
  operation: string | null;
  caller: {
    kind: string;
    login: string | null;
    app_id: number | null;
    app_slug: string | null;
    installation_id: number | null;
    token: string | null;
  };
  status: number;
  cache: "hit" | "miss" | null;
  request: JournalMessage;
  answer: JournalMessage;
  explanation: Explanation;
}

export interface JournalMessage {
  headers: { name: string; value: string }[];
  body: { bytes: number; text: string | null; truncated: boolean };
}

/** The decisions on a request in their order. */
export interface Explanation {
  line: string;
  steps: {
    check: string;
    subject: string;
    needed: string | null;
    found: string | null;
    outcome: "passed" | "refused" | "hidden";
    sentence: string;
    advice: { action: string; target: string; value: string; sentence: string }[];
  }[];
}

/** Rules by which requests fail. */
export interface Faults {
  add(fault: NewFault): Promise<Fault>;
  list(): Promise<Fault[]>;
  get(id: number): Promise<Fault>;
  delete(id: number): Promise<void>;
  /** Deletes all of them. */
  clear(): Promise<void>;
}

export interface NewFault {
  effect: "status" | "secondary_limit" | "primary_limit" | "latency" | "drop" | "truncate" | "malformed";
  operation?: string;
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  path?: string;
  caller?: string;
  probability?: number;
  skip?: number;
  times?: number;
  status?: number;
  message?: string;
  retry_after?: number;
  reset_after?: number;
  latency_ms?: number;
  /** Whether the request is carried out before it fails. */
  after?: boolean;
}

type OrNull<T> = { [Key in keyof T]-?: Exclude<T[Key], undefined> | null };

export interface Fault extends OrNull<Omit<NewFault, "effect" | "probability" | "skip" | "latency_ms" | "after">> {
  id: number;
  effect: NewFault["effect"];
  probability: number;
  skip: number;
  latency_ms: number;
  after: boolean;
  /** How many requests it applied to, also those that passed. */
  matched: number;
  /** How often it was used. */
  used: number;
  last_used_at: string | null;
  created_at: string;
}

/** The webhooks of a world. */
export interface Deliveries {
  /** The newest first. */
  list(filter?: DeliveryFilter): Promise<Delivery[]>;
  /** One with its whole payload. */
  get(id: number): Promise<Delivery>;
  /** The newest delivery that fits, as soon as there is one. */
  wait(filter?: DeliveryFilter, options?: WaitOptions): Promise<Delivery>;
  /** Sends a webhook again, and returns the new delivery. */
  redeliver(delivery: number | Delivery): Promise<Delivery>;
  /** Lets webhooks wait. */
  pause(): Promise<void>;
  /** Sends those that wait. */
  resume(): Promise<void>;
}

export interface DeliveryFilter {
  event?: string;
  action?: string;
  app?: string;
  status?: Delivery["status"];
  /** Only deliveries with a greater `id`. */
  after?: number;
  /** Only deliveries with a smaller `id`. */
  before?: number;
  per_page?: number;
}

export interface Delivery {
  id: number;
  guid: string;
  app: string;
  event: string;
  action: string | null;
  installation_id: number | null;
  repository_id: number | null;
  /** `recorded` if the app has no address. */
  status: "pending" | "delivered" | "failed" | "recorded";
  redelivery: boolean;
  attempt: number;
  created_at: string;
  next_attempt_at: string | null;
  delivered_at: string | null;
  duration_ms: number | null;
  error: string | null;
  request: { url: string | null; headers: Record<string, string> | null; payload: any };
  response: { status: number; headers: Record<string, string>; body: string } | null;
}

/** States of a world to go back to. */
export interface Snapshots {
  /** Keeps the current state under a name. */
  make(name: string): Promise<Snapshot>;
  list(): Promise<Snapshot[]>;
  restore(name: string): Promise<void>;
  delete(name: string): Promise<void>;
}

export interface Snapshot {
  name: string;
  created_at: string;
  bytes: number;
}
