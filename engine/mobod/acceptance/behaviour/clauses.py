"""CLAUSES: where FMI 2.0.5 and FMI 3.0.2 state the rules of the checks that run an FMU."""

_FMI_2 = {
    "general": "2.1 FMI Application Programming Interface",
    "names": "2.1.1 Header Files and Naming of Functions",
    "references": "2.1.2 Platform Dependent Definitions",
    "status": "2.1.3 Status Returned by Functions",
    "functions": "2.3 FMU Distribution",
    "version": "2.1.4 Inquire Platform and Version Number of Header Files",
    "creation": "2.1.5 Creation, Destruction and Logging of FMU Instances",
    "initialization": "2.1.6 Initialization, Termination, and Resetting an FMU",
    "values": "2.1.7 Getting and Setting Variable Values",
    "state": "2.1.8 Getting and Setting the Complete FMU State",
    "derivatives": "2.1.9 Getting Partial Derivatives",
    "start": "2.2.7 Definition of Model Variables",
    "dependencies": "2.2.8 Definition of the Model Structure",
    "equations": "3.2.2 Evaluation of Model Equations",
    "order.model-exchange": "3.2.3 State Machine of Calling Sequence",
    "order.co-simulation": "4.2.4 State Machine of Calling Sequence from Master to Slave",
    "interpolation": "4.2.1 Transfer of Input / Output Values and Parameters",
    "step": "4.2.2 Computation",
    "threads": "2.1 FMI Application Programming Interface",
}
_FMI_3 = {
    "general": "2.2.1 Requirements for Implementations of the C-API",
    "names": "2.2.2 Header Files and Naming of Functions",
    "references": "2.2.4 Status Returned by Functions",
    "status": "2.2.4 Status Returned by Functions",
    "functions": "2.5 FMU Distribution",
    "version": "2.2.5 Inquire Version Number of Header Files",
    "creation": "2.3.1 Super State: FMU State Settable",
    "initialization": "2.3.2 State: Instantiated",
    "values": "2.2.7.2 Getting and Setting Variable Values",
    "state": "2.2.7.4 Getting and Setting the Complete FMU State",
    "derivatives": "2.2.12 Getting Partial Derivatives",
    "start": "2.4.7.5 Type-specific properties",
    "dependencies": "2.4.8 Model Structure",
    "equations": "3.2.1 State: Continuous-Time Mode",
    "order.model-exchange": "2.2.4 Status Returned by Functions",
    "order.co-simulation": "2.2.4 Status Returned by Functions",
    "interpolation": "4.2.1 State: Step Mode",
    "step": "4.2.1 State: Step Mode",
    "threads": "2.2.1 Requirements for Implementations of the C-API",
}


def clause(fmi_version: str, topic: str) -> str:
    """The clause: "FMI 3.0.2, 4.2.1 State: Step Mode".

    fmi_version  its first digit
    """
    return f"FMI 2.0.5, {_FMI_2[topic]}" if fmi_version == "2" else f"FMI 3.0.2, {_FMI_3[topic]}"
