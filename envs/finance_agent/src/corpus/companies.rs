//! Fictitious companies with figures that agree with one another: drawn from a seed, the same on every machine.

use gimbal_core::Rng;

/// Fiscal years that are reported; the fiscal year is the calendar year.
pub const YEARS: [u16; 4] = [2021, 2022, 2023, 2024];
/// Quarters with a press release: the last of 2023 and all of 2024.
pub const QUARTERS: [(u8, u16); 5] = [(4, 2023), (1, 2024), (2, 2024), (3, 2024), (4, 2024)];
/// Tenths of a million.
pub type Amount = i64;

/// A director who is not an employee, and what the company paid for the last year.
#[derive(Clone, Debug)]
pub struct Director {
    /// The name.
    pub name: String,
    /// Fees in cash, in dollars.
    pub fees: u64,
    /// Stock awards, in dollars.
    pub stock: u64,
}

/// A company.
#[derive(Clone, Debug)]
pub struct Company {
    pub name: String,
    pub ticker: String,
    pub cik: u64,
    pub sector: &'static Sector,
    pub city: &'static str,
    pub state: &'static str,
    pub years: [Year; YEARS.len()],
    pub quarters: [Quarter; QUARTERS.len()],
    pub segments: [(&'static str, Amount); 3],
    pub former_cfo: String,
    pub new_cfo: String,
    pub directors: Vec<Director>,
    pub subsidiaries: Vec<String>,
    pub deal: Deal,
    /// Payments due by year (the first is the next year), then later ones.
    pub leases: [Amount; 5],
    pub plant: (&'static str, u16),
    pub vendor: String,
    pub employees: (u64, u64),
}

/// A year's figures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Year {
    pub revenue: Amount,
    pub cost: Amount,
    pub research: Amount,
    pub selling: Amount,
    pub interest: Amount,
    pub tax: Amount,
    pub depreciation: Amount,
    pub stock: Amount,
    pub restructuring: Amount,
    pub inventory: Amount,
    pub capex: Amount,
    pub cash_flow: Amount,
    pub dividends: Amount,
    pub bookings: Amount,
    pub customers: u64,
}

impl Year {
    pub const fn gross(&self) -> Amount {
        self.revenue - self.cost
    }
    pub const fn operating(&self) -> Amount {
        self.gross() - self.research - self.selling - self.restructuring
    }
    pub const fn pretax(&self) -> Amount {
        self.operating() - self.interest
    }
    pub const fn net(&self) -> Amount {
        self.pretax() - self.tax
    }
    pub const fn adjusted(&self) -> Amount {
        self.net() + self.tax + self.interest + self.depreciation + self.stock + self.restructuring
    }
}

/// A quarter's results, and what was promised for the next one with them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quarter {
    pub revenue: Amount,
    /// Gross margin in tenths of a percent.
    pub margin: i64,
    pub promised: (Amount, Amount),
    pub promised_margin: (i64, i64),
}

/// An acquisition.
#[derive(Clone, Debug)]
pub struct Deal {
    pub target: String,
    /// Cents a share.
    pub price: u64,
    pub equity: Amount,
    pub enterprise: Amount,
    pub announced: &'static str,
}

/// What a company does.
#[derive(Debug)]
pub struct Sector {
    pub code: &'static str,
    pub what: &'static str,
    pub segments: [&'static str; 3],
    pub measures: [&'static str; 3],
    pub risk: &'static str,
}

pub const SECTORS: [Sector; 6] = [
    Sector {
        code: "3674",
        what: "designs power semiconductors for electric drives",
        segments: ["Automotive Power", "Industrial Drives", "Consumer Chips"],
        measures: ["design wins", "wafer starts", "book-to-bill ratio"],
        risk: "Wafer capacity at our foundry partners is limited and lead times have lengthened.",
    },
    Sector {
        code: "7389",
        what: "runs a marketplace for short-term rentals of vehicles",
        segments: ["Marketplace Fees", "Insurance Services", "Fleet Software"],
        measures: ["trips booked", "active hosts", "gross booking value"],
        risk: "Hosts may withdraw vehicles when resale prices rise.",
    },
    Sector {
        code: "2000",
        what: "makes packaged foods and plant-based drinks",
        segments: ["Pantry Staples", "Plant Drinks", "Foodservice"],
        measures: ["household penetration", "volume sold", "organic net sales growth"],
        risk: "Oat and cocoa prices have moved sharply and hedges cover a part only.",
    },
    Sector {
        code: "4512",
        what: "operates a regional airline",
        segments: ["Scheduled Passenger", "Cargo", "Loyalty Programme"],
        measures: ["available seat miles", "load factor", "average daily aircraft utilization"],
        risk: "Engine inspections have taken aircraft out of service at short notice.",
    },
    Sector {
        code: "7372",
        what: "sells payroll and human capital software by subscription",
        segments: ["Payroll Cloud", "Talent Cloud", "Professional Services"],
        measures: ["gross revenue retention rate", "net new customers", "remaining performance obligation"],
        risk: "Privacy law of the states differs and changes often, which adds to the cost of compliance.",
    },
    Sector {
        code: "3841",
        what: "develops minimally invasive surgical devices",
        segments: ["Surgical Robotics", "Disposables", "Service Contracts"],
        measures: ["systems placed", "procedures performed", "utilization per system"],
        risk: "Reimbursement of robotic procedures is under review by payers.",
    },
];

const FIRST: [&str; 20] = [
    "Alder",
    "Brightmoor",
    "Corvane",
    "Dunmarrow",
    "Eastlake",
    "Fenwick",
    "Glasswing",
    "Harrowgate",
    "Ironbark",
    "Juniper",
    "Kestrel",
    "Larkspur",
    "Meridale",
    "Northgate",
    "Oakhaven",
    "Pinecrest",
    "Quillon",
    "Ravensbourne",
    "Silverbrook",
    "Thornfield",
];
const SECOND: [&str; 6] = ["Dynamics", "Holdings", "Industries", "Group", "Technologies", "Partners"];
const GIVEN: [&str; 16] = [
    "Amara", "Bertil", "Celeste", "Dorian", "Edith", "Farid", "Greta", "Hollis", "Imogen", "Jonas", "Keiko", "Leandro",
    "Maren", "Nadia", "Osric", "Philippa",
];
const FAMILY: [&str; 16] = [
    "Abernethy",
    "Bellweather",
    "Castellane",
    "Dravec",
    "Eddington",
    "Fairbairn",
    "Grunwald",
    "Hathersage",
    "Isakov",
    "Jessop",
    "Kowalczyk",
    "Lindqvist",
    "Marchetti",
    "Nakagawa",
    "Ostrander",
    "Pellegrin",
];
const PLACES: [(&str, &str); 8] = [
    ("Duluth", "MN"),
    ("Provo", "UT"),
    ("Savannah", "GA"),
    ("Dayton", "OH"),
    ("Tacoma", "WA"),
    ("Mobile", "AL"),
    ("Reno", "NV"),
    ("Albany", "NY"),
];
const ANNOUNCED: [&str; 4] = ["2024-05-20", "2024-06-11", "2024-08-27", "2024-09-17"];

struct Draw(Rng);

impl Draw {
    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.0.below((high - low + 1).max(1) as u64) as i64
    }

    /// `amount` times a draw between two shares in thousandths.
    fn share(&mut self, amount: Amount, low: i64, high: i64) -> Amount {
        amount * self.between(low, high) / 1000
    }

    fn pick<T: Copy>(&mut self, items: &[T], or: T) -> T {
        self.0.choose(items).copied().unwrap_or(or)
    }

    fn person(&mut self) -> String {
        format!("{} {}", self.pick(&GIVEN, GIVEN[0]), self.pick(&FAMILY, FAMILY[0]))
    }
}

/// Company number `number` of the corpus with this seed.
pub fn company(seed: u64, number: u32) -> Company {
    let mut draw = Draw(Rng::stream(seed, &format!("company/{number}")));
    let at = number as usize;
    // Names follow from the number, so that no two are alike.
    let shift = (seed % 20) as usize;
    let first = FIRST[(at * 7 + shift) % FIRST.len()];
    let second = SECOND[(at + at / FIRST.len() + (seed % 6) as usize) % SECOND.len()];
    let letters: String = first.chars().filter(|letter| !"aeiou".contains(*letter)).take(3).collect();
    let ticker = format!("{letters}{}", &second[..1]).to_uppercase();
    let ticker = if at < FIRST.len() { ticker } else { format!("{ticker}{}", at / FIRST.len()) };
    let sector = &SECTORS[at % SECTORS.len()];
    let years = years(&mut draw);
    let [.., before, last] = years;
    let quarters = quarters(&mut draw, &before, &last);
    let large = draw.share(last.revenue, 480, 560);
    let middle = draw.share(last.revenue, 220, 290);
    let segments = [
        (sector.segments[0], large),
        (sector.segments[1], middle),
        (sector.segments[2], last.revenue - large - middle),
    ];
    let former_cfo = draw.person();
    let new_cfo = other_person(&mut draw, &[&former_cfo]);
    let mut directors: Vec<Director> = Vec::new();
    while directors.len() < 6 {
        let taken: Vec<&str> = directors
            .iter()
            .map(|director| director.name.as_str())
            .chain([former_cfo.as_str(), new_cfo.as_str()])
            .collect();
        let name = other_person(&mut draw, &taken);
        let (fees, stock) = (draw.between(70_000, 120_000) as u64, draw.between(150_000, 230_000) as u64);
        directors.push(Director { name, fees, stock });
    }
    let count = draw.between(4, 9);
    let subsidiaries = (0..count).map(|nth| {
        let (place, state) = PLACES[(at + nth as usize) % PLACES.len()];
        format!("{first} {place} LLC ({state})")
    });
    let subsidiaries = subsidiaries.collect();
    let equity = draw.share(last.revenue, 150, 600);
    let deal = Deal {
        target: format!("{} {}", FIRST[(at * 7 + 11 + shift) % FIRST.len()], ["Labs", "Robotics", "Analytics"][at % 3]),
        price: draw.between(900, 6_500) as u64,
        equity,
        enterprise: equity + draw.share(equity, 80, 350),
        announced: ANNOUNCED[at % ANNOUNCED.len()],
    };
    let total = draw.between(400, 2_400);
    let mut leases = [0; 5];
    let mut left = total;
    for payment in leases.iter_mut().take(4) {
        *payment = draw.share(left, 180, 320);
        left -= *payment;
    }
    leases[4] = left;
    let (city, state) = PLACES[at % PLACES.len()];
    let (plant, _) = PLACES[(at + 3) % PLACES.len()];
    let home = draw.between(1_500, 22_000) as u64;
    let abroad = draw.between(700, 19_000) as u64;
    Company {
        name: format!("{first} {second}"),
        ticker,
        cik: 9_000_001 + u64::from(number) * 37,
        sector,
        city,
        state,
        years,
        quarters,
        segments,
        former_cfo,
        new_cfo,
        directors,
        subsidiaries,
        deal,
        leases,
        plant: (plant, 2025 + (at % 3) as u16),
        vendor: format!("{} Clearing", FIRST[(at * 7 + 5 + shift) % FIRST.len()]),
        employees: (home, abroad),
    }
}

fn other_person(draw: &mut Draw, taken: &[&str]) -> String {
    loop {
        let name = draw.person();
        // No family name twice: answers are told apart by it.
        let family = |name: &str| name.rsplit(' ').next().map(str::to_owned);
        if taken.iter().all(|known| family(known) != family(&name)) {
            return name;
        }
    }
}

fn years(draw: &mut Draw) -> [Year; YEARS.len()] {
    let mut revenue = draw.between(6_000, 42_000);
    let cost_share = draw.between(520, 640);
    let tax_share = draw.between(160, 240);
    let take = draw.between(90, 160);
    let mut customers = draw.between(12_000, 90_000);
    std::array::from_fn(|_| {
        let cost = draw.share(revenue, cost_share - 12, cost_share + 12);
        let research = draw.share(revenue, 70, 95);
        let selling = draw.share(revenue, 110, 135);
        let restructuring = draw.share(revenue, 2, 9);
        let interest = draw.share(revenue, 6, 12);
        let mut year = Year { revenue, cost, research, selling, restructuring, interest, ..Year::default() };
        year.tax = draw.share(year.pretax(), tax_share - 25, tax_share + 25);
        year.depreciation = draw.share(revenue, 35, 60);
        year.stock = draw.share(revenue, 25, 70);
        year.inventory = draw.share(cost, 120, 210);
        year.capex = draw.share(revenue, 40, 80);
        year.cash_flow = year.net() + year.depreciation + year.stock + draw.share(revenue, -15, 25);
        year.dividends = draw.share(year.net(), 250, 850);
        year.bookings = revenue * 1000 / (take + draw.between(-5, 5));
        year.customers = customers as u64;
        revenue += draw.share(revenue, 40, 240);
        customers += draw.share(customers, 30, 180);
        year
    })
}

fn quarters(draw: &mut Draw, before: &Year, last: &Year) -> [Quarter; QUARTERS.len()] {
    let first = draw.share(last.revenue, 228, 242);
    let second = draw.share(last.revenue, 240, 252);
    let third = draw.share(last.revenue, 250, 262);
    let revenues = [draw.share(before.revenue, 255, 268), first, second, third, last.revenue - first - second - third];
    let usual = last.gross() * 1000 / last.revenue;
    let margins: [i64; QUARTERS.len()] = std::array::from_fn(|_| usual + draw.between(-18, 18));
    std::array::from_fn(|at| {
        // What is promised lies beside what comes, and never in its very middle.
        let next = revenues.get(at + 1).copied().unwrap_or(revenues[at] + revenues[at] / 20);
        let middle = next + draw.share(next, 8, 45) * if draw.between(0, 2) == 0 { 1 } else { -1 };
        let width = (middle / 50).max(10);
        let next_margin = margins.get(at + 1).copied().unwrap_or(usual);
        let middle_margin = next_margin + draw.between(2, 13) * if draw.between(0, 2) == 0 { 1 } else { -1 };
        Quarter {
            revenue: revenues[at],
            margin: margins[at],
            // Whole millions, as guidance is given.
            promised: ((middle - width) / 10 * 10, (middle + width) / 10 * 10),
            promised_margin: (middle_margin - 5, middle_margin + 5),
        }
    })
}
