// Command karpenter is Karpenter's core with a cloud of this machine in the place of EC2. It takes the platform's
// NodePools, EC2NodeClasses and NodeOverlays as they are, and it is told by command what happens to the cloud.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/awslabs/operatorpkg/controller"
	"github.com/go-logr/zapr"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"sigs.k8s.io/karpenter/pkg/cloudprovider/overlay"
	"sigs.k8s.io/karpenter/pkg/controllers"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeclaim/lifecycle"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeoverlay"
	"sigs.k8s.io/karpenter/pkg/controllers/nodepool/registrationhealth"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/operator/logging"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/state/nodepoolhealth"
)

const version = "1.14.1"

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println("karpenter " + version + " of the sandbox")
		return
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// settings are what the sandbox says beside Karpenter's own environment variables.
type settings struct {
	catalog string // file
	state   string // file
	control string // address
	token   string
}

func fromEnvironment() (settings, error) {
	config := settings{}
	for name, into := range map[string]*string{
		"SANDBOX_CATALOG": &config.catalog,
		"SANDBOX_STATE":   &config.state,
		"SANDBOX_CONTROL": &config.control,
		"SANDBOX_TOKEN":   &config.token,
	} {
		if *into = os.Getenv(name); *into == "" {
			return config, fmt.Errorf("the environment variable %s is not set", name)
		}
	}
	return config, nil
}

func run() error {
	config, err := fromEnvironment()
	if err != nil {
		return err
	}
	catalog, err := readCatalog(config.catalog)
	if err != nil {
		return err
	}
	catalog.declare()
	injected, err := loadInjected(config.state)
	if err != nil {
		return fmt.Errorf("%s: %w", config.state, err)
	}
	ctx := injection.WithOptionsOrDie(ctrl.SetupSignalHandler(), options.Injectables...)
	logger := zapr.NewLogger(logging.NewLogger(ctx, "controller"))
	log.SetLogger(logger)
	klog.SetLogger(logger)
	mgr, err := newManager(ctx, logger)
	if err != nil {
		return err
	}
	if err := (nodeClassController{mgr.GetClient()}).register(mgr); err != nil {
		return err
	}
	if err := (volumeController{mgr.GetClient()}).register(mgr); err != nil {
		return err
	}
	settler, err := startKarpenter(ctx, mgr, catalog, injected)
	if err != nil {
		return err
	}
	commands := &control{client: mgr.GetClient(), injected: injected, settler: settler, token: config.token}
	if err := mgr.Add(serving(config.control, commands)); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// startKarpenter registers Karpenter's controllers with the clock that can be set. One keeps the machine's: the
// lifecycle of a NodeClaim holds its deadlines against times that the claim was given by the machine, so that under a
// clock set ahead it would give up on a node before the node had registered. It shares a state with one other.
func startKarpenter(ctx context.Context, mgr manager.Manager, catalog *Catalog, injected *Injected) (*settler, error) {
	store := nodeoverlay.NewInstanceTypeStore()
	provider := &Provider{
		client: mgr.GetClient(), catalog: catalog, injected: injected, overlays: store,
		devices: devices{mgr.GetAPIReader()},
	}
	overlaid := overlay.Decorate(provider, mgr.GetClient(), store)
	cluster := state.NewCluster(injected, mgr.GetClient(), overlaid)
	recorder := events.NewRecorder(mgr.GetEventRecorderFor("karpenter")) //nolint:staticcheck // Karpenter's type of it
	all := controllers.NewControllers(ctx, mgr, injected, mgr.GetClient(), recorder, overlaid, provider, cluster, store)
	settler := &settler{cache: mgr.GetCache(), live: mgr.GetAPIReader(), cluster: cluster, changed: make(chan struct{}, 1)}
	health := nodepoolhealth.NewState()
	for _, candidate := range all {
		switch candidate.(type) {
		case *lifecycle.Controller:
			candidate = lifecycle.NewController(clock.RealClock{}, mgr.GetClient(), overlaid, recorder, health, nil)
		case *registrationhealth.Controller:
			candidate = registrationhealth.NewController(injected, mgr.GetClient(), overlaid, health)
		}
		if err := candidate.Register(ctx, mgr); err != nil {
			return nil, err
		}
		if provisioner, ok := candidate.(controller.Controller).(*provisioning.Provisioner); ok {
			settler.provisioner = provisioner
		}
	}
	return settler, nil
}

// serving answers commands for as long as the manager runs.
func serving(address string, commands *control) manager.RunnableFunc {
	return func(ctx context.Context) error {
		if err := commands.settler.listen(ctx); err != nil {
			return err
		}
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		server := &http.Server{
			Handler: commands.handler(), ReadHeaderTimeout: headerDeadline,
			BaseContext: func(net.Listener) context.Context { return ctx },
		}
		go func() {
			<-ctx.Done()
			_ = server.Close()
		}()
		if err := server.Serve(listener); err != http.ErrServerClosed {
			return err
		}
		return nil
	}
}
